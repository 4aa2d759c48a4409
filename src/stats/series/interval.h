/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals of a mean, a spread, a median and a share, and the tests that assume normal data:
 * Student's and Welch's t, and the F test of two variances. Of tests, every p is two-sided; an
 * undefined figure is NaN, as are those of series that are too short or constant to the last digit.
 */
#pragma once

#include "dist/dist.h"
#include "model/result/estimate.h"
#include "num/num.h"

struct et_test {
	double statistic, df, p;
};

/* A test with an estimate of the effect and its interval at the requested level. */
struct et_interval_test {
	double statistic, p;
	double df, df2; /* df2 is the F test's only */
	double estimate, lo, hi;
	bool exact; /* of ranks: p is exact, not by the normal approximation */
};

struct et_interval {
	double lo, hi;
	double level; /* the attained one, which may be above the requested one */
};

/* For the standard deviation of normal data only: it covers 20 to 70 % on heavy tails. */
struct et_interval et_sd_interval(double sd, size_t n, double level);
/* The same for a spread of which df degrees of freedom are known; they need not be whole. */
struct et_interval et_spread_interval(double spread, double df, double level);
/* Between two order statistics, exact for every continuous law; NaN when n cannot reach level. */
struct et_interval et_median_interval(const double *sorted, size_t n, double level);
/* Wilson (1927) for a share k of n: covers level on average. */
struct et_interval et_share_interval_wilson(double k, double n, double level);

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

/*
 * A series of numbers summed up: moments, quartiles, uncertainty, and the interval of the mean
 * (num/mean_interval.h). If all values are equal, its uncertainty is that of their resolution.
 *
 * x is in order of execution. Fills *out (warnings stay empty). Undefined figures are NaN: all of
 * them for n = 0, the spread and what rests on it for n = 1. level is the coverage, such as 0.95.
 */
void et_summarise(const double *x, size_t n, double level, struct et_estimate *out);

/* --- could the data be normal? Shapiro & Wilk's W, by Royston's algorithm AS R94 (1995) --- */

enum { ET_SHAPIRO_LEAST = 3, ET_SHAPIRO_MOST = 5000 };

/* The level of this and of the other checks of assumptions (Nogueira & Matias). */
#define ET_CHECK_ALPHA 0.05

struct et_normality {
	double w, p;
	size_t n_used; /* of more than 5000 values, 5000 chosen at random (always the same) are
			  tested */
};

/* NaN for fewer than 3 values or a constant series. */
struct et_normality et_shapiro_wilk(const double *x, size_t n);
