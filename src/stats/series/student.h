/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests that assume normal data: Student's and Welch's t, and the F test of two variances. Series
 * too short or constant to the last digit give NaN.
 */
#pragma once

#include "stats/compare/test.h"

#include <stddef.h>

/* The mean of x against mu; the estimate is the mean. */
struct et_interval_test et_t_one_sample(const double *x, size_t n, double mu, double level);
/* Means of x and y, equal variances assumed (Student 1908); the estimate is mean x - mean y. */
struct et_interval_test et_t_student(
	const double *x, size_t nx, const double *y, size_t ny, double level);
/* The same with unequal variances (Welch 1947). */
struct et_interval_test et_t_welch(
	const double *x, size_t nx, const double *y, size_t ny, double level);
/* var x / var y against 1; the estimate is the ratio. */
struct et_interval_test et_f_test(
	const double *x, size_t nx, const double *y, size_t ny, double level);

/*
 * Combines several components of uncertainty as the GUM (JCGM 100:2008) does: `compare` the means
 * of two dependent series. The uncertainty of a profile will have several components, too.
 */
struct et_component {
	double u;  /* standard uncertainty */
	double c;  /* sensitivity: change of the result per unit */
	double df; /* INFINITY where it is taken as known */
};

struct et_combined {
	double u;        /* combined standard uncertainty */
	double df;       /* effective */
	double k;        /* coverage factor at the requested level */
	double expanded; /* k u */
};

/* GUM eq. 10 for independent components, Welch-Satterthwaite (eq. G.2b) for the freedom. */
struct et_combined et_combine(const struct et_component *parts, size_t n, double level);

/* The standard uncertainty of a display or clock with this step (GUM F.2.2.1). */
double et_resolution_uncertainty(double step);
