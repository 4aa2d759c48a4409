/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes of an etalon that was killed. Commands that run programs end them first. */
#pragma once

#include "cli/cli.h"

/* Ends them, and prints to stderr how many there were. */
void et_leftovers_end(const struct et_cli *cli);
