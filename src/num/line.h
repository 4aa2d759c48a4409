/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A straight line through points by least squares, with what is needed to say how sure it is. */
#ifndef ET_NUM_LINE_H
#define ET_NUM_LINE_H

#include <stddef.h>

struct et_line {
	size_t n;
	double mean_x, mean_y;
	double slope, slope_error; /* its standard error */
	double sxx;                /* sum of (x - mean_x)^2 */
	double residual_sd;        /* n - 2 degrees of freedom */
	double p;                  /* of a slope of 0, two-sided; NaN where all points lie on it */
};

/* All figures but the means are NaN with fewer than 3 points, or without any spread of x. */
struct et_line et_line_fit(const double *x, const double *y, size_t n);
/* The line at x, and the standard error of that. */
double et_line_at(const struct et_line *l, double x);
double et_line_error_at(const struct et_line *l, double x);

#endif
