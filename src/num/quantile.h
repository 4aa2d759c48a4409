/* SPDX-License-Identifier: MIT */
/* Sorting, and quantiles of sorted arrays (NaN if n is 0). The arrays must not contain NaN. */
#pragma once

#include <stddef.h>

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
