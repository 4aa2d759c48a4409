/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The automatic number of rounds (plan.runs is 0): at least min_runs, at most max_runs, and as many
 * as take min_time_ns for each command on average. The number is decided once, from the first
 * min_runs rounds: the values of later runs cannot move it, which would bias their mean, and an
 * experiment that is resumed decides on the same number.
 *
 * All that a round takes counts: runs alone and in duets, and the hooks around them. Two commands
 * that are compared by duets therefore take as long as two that run alone.
 *
 * In sequential order each command has the number that hyperfine would choose: the duration of the
 * first run, with its hooks, decides how many fit into min_time_ns.
 */
#pragma once

#include "model/experiment/experiment.h"

/* Returns after how many rounds the number can be decided. */
uint32_t et_rounds_until_decided(const struct et_experiment *e, uint32_t only);

/*
 * Returns the number of rounds, decided by the samples of the rounds 1 to `upto`. In sequential
 * order, `only` is the command that has its own rounds; otherwise it is UINT32_MAX.
 */
uint32_t et_rounds_decide(const struct et_experiment *e, uint32_t only, uint32_t upto);
