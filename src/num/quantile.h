/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order: sorting and Hyndman-Fan quantiles of sorted arrays. NaNs must have been kept out before.
 */
#ifndef ET_NUM_QUANTILE_H
#define ET_NUM_QUANTILE_H

#include <stddef.h>

void et_sort(double *x, size_t n);
/* A sorted copy; the caller frees. */
double *et_sorted_copy(const double *x, size_t n);
/* Type 7 of Hyndman & Fan (1996), the default of R and of etalon; NaN when n is 0. */
double et_quantile_sorted(const double *sorted, size_t n, double p);
double et_median_sorted(const double *sorted, size_t n);
/* Median absolute deviation from the median, times 1.4826 (consistent for the normal). */
double et_mad_sorted(const double *sorted, size_t n);

#endif
