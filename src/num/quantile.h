/* SPDX-License-Identifier: MIT */
/* Sorting, and quantiles of sorted arrays (NaN if n is 0). The arrays must not contain NaN. */
#pragma once

#include <stddef.h>
#include <stdint.h>

void et_sort(double *x, size_t n);
/* Returns a sorted copy. The caller frees it. */
double *et_sorted_copy(const double *x, size_t n);
/* The quantile for p from 0 to 1, of type 7 of Hyndman & Fan (1996), the default of R. */
double et_quantile_sorted(const double *sorted, size_t n, double p);
double et_median_sorted(const double *sorted, size_t n);
/* The median of an array that is sorted here. */
double et_median(double *x, size_t n);
/* The median absolute deviation times 1.4826, which estimates the sd of normal data. */
double et_mad_sorted(const double *sorted, size_t n);

/*
 * Order statistics over all pairs, without storing the pairs: the k-th smallest Walsh average
 * (x_i + x_j) / 2 with i <= j, and the k-th smallest difference x_i - y_j. One pass over the sorted
 * arrays counts the pairs at or below a bound. Bisection over the ordered bit patterns of doubles
 * finds the exact value in at most 65 passes; of differences about 15 passes leave so few that they
 * are sorted. All arrays must be sorted. Medians without a pair are NaN.
 */
/* k is from 1 to n(n+1)/2. */
double et_walsh_kth(const double *x, size_t n, uint64_t k);
double et_walsh_median(const double *x, size_t n);
/* k is from 1 to nx*ny. */
double et_difference_kth(const double *x, size_t nx, const double *y, size_t ny, uint64_t k);
double et_difference_median(const double *x, size_t nx, const double *y, size_t ny);
