/* SPDX-License-Identifier: MIT */
/*
 * Sums and moments of arrays. Rounding errors are compensated, so that data far from zero keep
 * their digits. Undefined results are NaN: the mean of no value, the variance of one.
 */
#pragma once

#include <stddef.h>

double et_sum(const double *x, size_t n);
double et_mean(const double *x, size_t n);
/* The exact mean less the given one, if rounding cost more than a millionth of the sd; else 0. */
double et_mean_rest(const double *x, size_t n, double mean);
double et_variance(const double *x, size_t n); /* divided by n - 1 */
double et_sd(const double *x, size_t n);
/* m3 / m2^(3/2), where m_k = sum (x - mean)^k / n. */
double et_skewness(const double *x, size_t n);
double et_kurtosis(const double *x, size_t n); /* m4 / m2^2: 3 for the normal law */
