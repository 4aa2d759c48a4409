/* SPDX-License-Identifier: MIT */
/* Fits a straight line by least squares, with the standard errors of its parameters. */
#pragma once

#include <stddef.h>

struct et_line {
	double slope, intercept;
	double slope_error, intercept_error; /* standard errors; NaN with two points */
	double residual_sd;                  /* of the points about the line; NaN with two points */
	/* For intervals (num/line_interval.h): degrees of freedom, sum of weights, mean of x, sum
	 * of squares of x about it. */
	double df, weight, mean_x, sxx;
};

/* Fits y = slope x + intercept. All is NaN with fewer than two points or if all x are equal. */
void et_line_fit(const double *x, const double *y, size_t n, struct et_line *out);
/*
 * The same, weighted: sigma[i] > 0 is the uncertainty of y[i] up to a common factor. residual_sd is
 * the estimate of that factor (Bevington & Robinson, Data Reduction, 6.12 and 6.23).
 */
void et_line_fit_weighted(
	const double *x, const double *y, const double *sigma, size_t n, struct et_line *out);
