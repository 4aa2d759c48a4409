/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wilcoxon's signed-rank test of paired differences against 0, with the Hodges-Lehmann estimate
 * and its interval. Memory is O(n) and time O(n log n) for every n: see num/pairwise.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct et_signed_rank {
	double v;        /* sum of the ranks of positive differences */
	double p;        /* two-sided */
	double estimate; /* median of the Walsh averages */
	double lo, hi;   /* NaN if there are too few differences to reach the level */
	size_t n;        /* differences that are not 0 */
	bool exact;
};

/*
 * Exact for fewer than 50 differences without ties and zeros, as in R; otherwise the normal
 * approximation with tie and continuity corrections. Zeros are left out of the test (Wilcoxon
 * 1945) but not of the estimate and its interval: they are evidence of a small shift.
 */
struct et_signed_rank et_signed_rank_test(const double *d, size_t n, double level);
