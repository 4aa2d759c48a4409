/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests log ratios of pairs against 0: by the paired t test if they may be normal, by Wilcoxon's
 * signed ranks if not, and by the sign test, which needs nothing but independence, if they are
 * skewed. Pairs whose number is not fixed are judged by a confidence sequence (num/sequence.h),
 * which may be looked at after each of them. Serial dependence of the pairs widens all of them.
 */
#pragma once

#include "stats/series/interval.h"

/* d is in order of execution. Fills the members of a contrast about pairs; its level and margin
 * are set. */
void et_judge_pairs(const double *d, size_t n, struct et_contrast *out);

/*
 * The same by the paired t test, whatever the shape of d. Its interval, at the level of the
 * contrast, has the variance and the freedom of p: it holds 0 exactly when p is above 1 - level.
 */
struct et_interval_test et_judge_pairs_by_mean(const double *d, size_t n, struct et_contrast *out);

/* Signed ranks, whatever the shape of d, with the Hodges-Lehmann estimate; likewise widened. */
struct et_interval_test et_pairs_by_ranks(const double *d, size_t n, double level);

/*
 * The sign test, which assumes only independence. Are positive and negative differences equally
 * likely? Exact binomial, zeros left out (Dixon & Mood 1946). statistic: how many are positive; df:
 * how many are not 0; estimate: the median of all differences with its order-statistic interval.
 */
struct et_interval_test et_sign_test(const double *d, size_t n, double level);

/*
 * Wilcoxon's signed-rank test of paired differences against 0, with the Hodges-Lehmann estimate
 * (the median of the Walsh averages) and its interval, NaN if there are too few differences to
 * reach the level. statistic: the sum of the ranks of positive differences; df: how many are not 0.
 * Memory is O(n) and time O(n log n) for every n: see num/quantile.h.
 *
 * Exact for fewer than 50 differences without ties and zeros, as in R; otherwise the normal
 * approximation with tie and continuity corrections. Zeros are left out of the test (Wilcoxon
 * 1945) but not of the estimate and its interval: they are evidence of a small shift.
 */
struct et_interval_test et_signed_rank_test(const double *d, size_t n, double level);
