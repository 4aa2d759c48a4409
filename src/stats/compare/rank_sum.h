/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wilcoxon-Mann-Whitney: does x tend to be larger than y? With the Hodges-Lehmann shift, its
 * interval, and Cliff's delta. Memory O(n), time O(n log n): see num/quantile.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct et_rank_sum {
	double w; /* pairs with x > y, ties counting one half */
	double p;
	double shift;  /* x against y: the median of all differences x_i - y_j */
	double lo, hi; /* NaN when the level cannot be reached, or all values are tied */
	double delta;  /* Cliff (1993): P(x > y) - P(x < y) */
	bool exact;
};

/*
 * Exact without ties and below 50 per side, as in R; otherwise the normal approximation with tie
 * and continuity corrections.
 */
struct et_rank_sum et_rank_sum_test(
	const double *x, size_t nx, const double *y, size_t ny, double level);
/* The same without the shift and its interval (NaN), which take most of the time. */
struct et_rank_sum et_rank_sum_only(const double *x, size_t nx, const double *y, size_t ny);

/* Exact with ties, over all orderings; NaN beyond 60 per side, where it takes too long. */
double et_rank_sum_permutation_p(const double *x, size_t nx, const double *y, size_t ny);
