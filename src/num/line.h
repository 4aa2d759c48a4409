/* SPDX-License-Identifier: MIT */
/* Fits a line by least squares: parameters with standard errors, and intervals at a given x. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct et_line {
	double slope, intercept;
	double slope_error, intercept_error; /* standard errors; NaN with two points */
	double residual_sd;                  /* of the points about the line; NaN with two points */
	/* For intervals: degrees of freedom, sum of weights, mean of x, squares of x about it. */
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

struct et_line_at {
	double value;      /* the line at x */
	double error;      /* standard error of value */
	double confidence; /* half width of the interval of the line itself at x */
	double prediction; /* half width of the interval of one more point at x */
};

/* Projects the line to x. NaN errors with fewer than 3 points; the additional one has sigma 1. */
void et_line_at(const struct et_line *line, double x, double level, struct et_line_at *out);
/* Is y outside of the interval of one more point, by more than rounding errors? */
bool et_line_is_off(const struct et_line_at *at, double y);
