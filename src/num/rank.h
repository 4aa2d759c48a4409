/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks, ties and inversions. */
#ifndef ET_NUM_RANK_H
#define ET_NUM_RANK_H

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
	double triples; /* t (t - 1) (t - 2) */
};
struct et_ties et_ties_sorted(const double *sorted, size_t n);
/* Returns the number of pairs i < j with x[i] > x[j], and sorts x. */
uint64_t et_inversions(double *x, size_t n);

#endif
