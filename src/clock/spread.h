/* SPDX-License-Identifier: MIT */
/* The quartiles of a series, and the interval of its median by order statistics. */
#pragma once

#include <stddef.h>

/* Unknown values are NaN. */
struct et_clock_spread {
	size_t n;
	double min, q1, median, q3;
	double lo, hi; /* the median's 95 % interval; NaN if n is less than 6 */
};

/* Sorts x. */
struct et_clock_spread et_spread_of(double *x, size_t n);
/*
 * Returns the largest r for which the interval from the r-th smallest to the r-th largest of n
 * values contains the median with a probability of at least 95 %; 0 if there is none.
 */
size_t et_median_rank(size_t n);
