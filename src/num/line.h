/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The straight line through points, by least squares, with the standard errors of what it says. */
#ifndef ET_NUM_LINE_H
#define ET_NUM_LINE_H

#include <stddef.h>

struct et_line {
	double slope, intercept;
	double slope_error, intercept_error; /* standard errors; NaN from two points */
	double residual_sd;                  /* of the points about the line; NaN from two points */
};

/* y = slope x + intercept; all NaN with fewer than two points or when all x are alike. */
void et_line_fit(const double *x, const double *y, size_t n, struct et_line *out);
/*
 * Weighted: sigma[i] > 0 is the uncertainty of y[i] up to a common factor, which the residuals give
 * (Bevington & Robinson, Data Reduction, 6.12 and 6.23): residual_sd is that factor.
 */
void et_line_fit_weighted(
	const double *x, const double *y, const double *sigma, size_t n, struct et_line *out);

#endif
