/* SPDX-License-Identifier: MIT */
/*
 * Linear least squares with a few columns, weighted by the uncertainties of the points. Columns are
 * scaled and orthogonalised together with y (modified Gram-Schmidt; Bjoerck 1967), which is as
 * stable as Householder's method: powers such as n^3 keep their digits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { ET_COLUMNS_MOST = 4 };

struct et_least_squares {
	size_t n, p; /* points and columns */
	double coef[ET_COLUMNS_MOST];
	/* (X'WX)^-1: times the variance at sigma 1, the covariance of the coefficients. */
	double unscaled[ET_COLUMNS_MOST][ET_COLUMNS_MOST];
	double rss; /* weighted sum of squared residuals */
};

/*
 * Fits y by columns[0 … p - 1], each of n values. sigma[i] > 0 is the uncertainty of y[i] up to a
 * common factor; NULL: all are equal. Returns false, with nothing filled, if there are fewer points
 * than columns or a column is a combination of the others.
 */
bool et_least_squares_fit(const double *const *columns, size_t p, const double *y,
	const double *sigma, size_t n, struct et_least_squares *out);
/* The value at a row of columns, and its standard error if a point of sigma 1 has variance 1. */
double et_least_squares_at(const struct et_least_squares *f, const double *row, double *error);

/* --- systems with symmetric positive definite matrices, stored whole, row by row --- */

/*
 * Replaces the lower half of the n × n matrix a by its factor L with L L' = a. Returns false if a
 * is not positive definite: a pivot falls below 1e-10 of its diagonal element.
 */
bool et_cholesky(double *a, size_t n);
/* Replaces x by the solution of L y = x, or of L' y = x. */
void et_cholesky_forward(const double *l, size_t n, double *x);
void et_cholesky_backward(const double *l, size_t n, double *x);
