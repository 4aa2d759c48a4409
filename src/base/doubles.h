/* SPDX-License-Identifier: MIT */
/* Mean and order of doubles, for folders that may not use num and for values that are not kept. */
#pragma once

/* The mean of the values so far, and the sum of their squared deviations from it. */
struct et_welford {
	double n, mean, squares;
};

/* Welford (1962): one pass; a difference of sums of squares would cancel. */
static inline void et_welford_add(struct et_welford *r, double value)
{
	double distance = value - r->mean;

	r->n++;
	r->mean += distance / r->n;
	r->squares += distance * (value - r->mean);
}

/* For qsort. Folders that may use num call et_sort. */
static inline int et_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}
