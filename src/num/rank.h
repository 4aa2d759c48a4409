/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks, ties and inversions. */
#ifndef ET_NUM_RANK_H
#define ET_NUM_RANK_H

#include <stddef.h>
#include <stdint.h>

/* Fills rank (from 1, ties get their mean rank). Returns the sum of t^3 - t over ties of t. */
double et_rank(const double *x, size_t n, double *rank);
/* The tie terms of a sorted array: sum of t(t-1), t^3 - t, t(t-1)(2t+5), t(t-1)(t-2). */
struct et_ties {
	double pairs2, cubic, kendall, triples;
};
struct et_ties et_ties_sorted(const double *sorted, size_t n);
/* Returns the number of pairs i < j with x[i] > x[j]. Sorts x. */
uint64_t et_inversions(double *x, size_t n);

#endif
