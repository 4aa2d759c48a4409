/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows branch prediction: the same loop with the same number of taken branches is timed by
 * libetalon with sorted and with random data, and with random patterns that repeat after a period.
 * The predictor learns patterns up to some length; a longer one is as slow as random data.
 */
#pragma once

#include "lab/grid.h"

enum { ET_BRANCHES = 32768, ET_BRANCH_PERIODS = 13 }; /* periods 2, 4, 8 … 8192 */

/* Times of one branch, in ns; NaN: not measured. */
struct et_branches {
	double sorted_ns, random_ns;
	double period_ns[ET_BRANCH_PERIODS];
};

/* Adds the figures, which are those of the finished part if progress ended it early. */
int et_branches_run(const struct et_lab_progress *progress, struct et_experiment *e,
	struct et_error *err) ET_CHECK;
et_lab_read et_branches_read; /* fills a struct et_branches */
/* The longest period that, as all shorter ones, is nearer to sorted than to random data; or 0. */
unsigned et_branches_learned(const struct et_branches *b);
/* Half of the branches of random data are mispredicted: the cost of one, in ns. */
double et_branches_miss_ns(const struct et_branches *b);
