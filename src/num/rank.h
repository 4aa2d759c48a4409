/* SPDX-License-Identifier: MIT */
/* Ranks, ties and inversions, and tests by them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Fills rank[i] with the rank of x[i]: the smallest has 1, equal values share their mean rank.
 * Returns the sum of t^3 - t over all groups of t equal values.
 */
double et_rank(const double *x, size_t n, double *rank);
/* Sums over all groups of t equal values. */
struct et_ties {
	double pairs2;  /* t (t - 1) */
	double cubic;   /* t^3 - t */
	double kendall; /* t (t - 1) (2t + 5) */
};
struct et_ties et_ties_sorted(const double *sorted, size_t n);
/*
 * Wilcoxon's rank-sum test in strata (van Elteren 1960): do the marked values tend to be larger
 * than the others of their stratum? Begin with { 0 } and add each stratum.
 */
struct et_rank_strata {
	double sum, variance; /* of the marked ranks less their mean, each stratum by 1 / (n + 1) */
};
void et_rank_strata_add(struct et_rank_strata *t, const double *x, const bool *marked, size_t n);
/*
 * One-sided, by the normal distribution, without a continuity correction: 3 marked of 10, all on
 * top, have p = 0.0084, exactly 1/120. NaN if no stratum has both kinds, or all its values are
 * equal.
 */
double et_rank_strata_p(const struct et_rank_strata *t);

/* Returns the number of pairs i < j with x[i] > x[j], and sorts x. */
uint64_t et_inversions(double *x, size_t n);

/*
 * The triples test of symmetry about an unknown centre (R. H. Randles, M. A. Fligner, G. E.
 * Policello, D. A. Wolfe, J. Am. Stat. Assoc. 75, 168, 1980). Unlike the test by the third moment
 * it does not assume normal tails: a few far values on both sides do not look like skewness.
 */
struct et_triples {
	double z; /* a normal deviate, positive for a long tail to the right */
	double p; /* two-sided */
};

/*
 * Both figures are NaN for fewer than three values, or if all triples are alike. Of more than 1000
 * values, every k-th in sorted order is tested, because the time is quadratic.
 */
struct et_triples et_triples_test(const double *x, size_t n);
