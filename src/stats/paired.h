/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests log ratios of pairs against 0: by the paired t test if they may be normal, by Wilcoxon's
 * signed ranks if not, and by the sign test, which needs nothing but independence, if they are
 * skewed. Serial dependence of the pairs widens all of them.
 */
#ifndef ET_STATS_PAIRED_H
#define ET_STATS_PAIRED_H

#include "model/estimate.h"
#include "stats/test.h"

/* d is in order of execution. Fills the members of a contrast about pairs; its level is set. */
void et_judge_pairs(const double *d, size_t n, struct et_contrast *out);

/* Signed ranks, whatever the shape of d, with the Hodges-Lehmann estimate; likewise widened. */
struct et_interval_test et_pairs_by_ranks(const double *d, size_t n, double level);

/*
 * The factor, at least 1, by which serial dependence multiplies the variance of a mean of n values.
 * For an autoregression of first order: 1 + 2 sum (1 - k/n) phi^k over k = 1 … n - 1 (Bartlett
 * 1946; Bayley & Hammersley 1946, eq. 5). phi is the lag-1 coefficient less its bias -(1 + 4 phi)/n
 * (Marriott & Pope 1954; Kendall 1954), and, because phi is itself uncertain, 0.3 of its standard
 * error is added: in simulations, false alarms then stay at 5 % for phi up to 0.6 from 30 pairs on.
 * Below 20 pairs, where chance looks like dependence, the plain coefficient is used.
 */
double et_serial_inflation(const double *x, size_t n);

#endif
