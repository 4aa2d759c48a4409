/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings about the clocks of a machine, by the figures of a survey. */
#pragma once

#include "clock/survey.h"
#include "model/result/warning.h"

/* clocksource: the kernel's, as in /sys. */
void et_survey_warn(const struct et_survey *s, const char *clocksource, struct et_warnings *out);
