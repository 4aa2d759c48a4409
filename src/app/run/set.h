/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setters of options of `run` that no other command needs; see base/option.h. */
#pragma once

#include "base/option.h"

et_option_set et_run_set_own_text;
et_option_set et_run_set_shell;
et_option_set et_run_set_input;
et_option_set et_run_set_min_time;
et_option_set et_run_add_names;
et_option_set et_run_add_value;
et_option_set et_run_add_scan;
et_option_set et_run_add_list;
et_option_set et_run_set_resume;
et_option_set et_run_set_metronome;
et_option_set et_run_set_output;
et_option_set et_run_set_show;
et_option_set et_run_set_ignored;
