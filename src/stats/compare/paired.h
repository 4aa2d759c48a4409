/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests log ratios of pairs against 0: by the paired t test if they may be normal, by Wilcoxon's
 * signed ranks if not, and by the sign test, which needs nothing but independence, if they are
 * skewed. Serial dependence of the pairs widens all of them.
 */
#pragma once

#include "model/result/estimate.h"
#include "num/mean_interval.h" /* et_serial_inflation */
#include "stats/compare/test.h"

/* d is in order of execution. Fills the members of a contrast about pairs; its level is set. */
void et_judge_pairs(const double *d, size_t n, struct et_contrast *out);

/*
 * The same by the paired t test, whatever the shape of d. Its interval, at the level of the
 * contrast, has the variance and the freedom of p: it holds 0 exactly when p is above 1 - level.
 */
struct et_interval_test et_judge_pairs_by_mean(const double *d, size_t n, struct et_contrast *out);

/* Signed ranks, whatever the shape of d, with the Hodges-Lehmann estimate; likewise widened. */
struct et_interval_test et_pairs_by_ranks(const double *d, size_t n, double level);
