/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Are successive values independent? Autocorrelation, Ljung-Box, Mann-Kendall trend, and drift
 * between the beginning and the rest. Constant series give NaN.
 */
#pragma once

#include "stats/series/interval.h"

/* Half width of the band that a white series' coefficient stays in with probability level. */
double et_acf_band(size_t n, double level);

/* Ljung & Box (1978); statistic is chi-square with df = lags under independence. */
struct et_test et_ljung_box(const double *x, size_t n, size_t lags);

struct et_trend {
	double s;   /* pairs that rise minus pairs that fall */
	double z;   /* with continuity correction */
	double tau; /* Kendall's tau-b against time */
	double p;
};

/* Mann (1945), Kendall (1975): monotone trend, variance corrected for ties. O(n log n). */
struct et_trend et_mann_kendall(const double *x, size_t n);

/* Serial dependence: how much less dependent values say about a mean, of one series or of two. */

/* The correction of a test by an inflation, with the bias (n - v)/(n - 1) of the variance. */
struct et_effective {
	double factor; /* of the standard error */
	double df;     /* n/v - 1, at least 1 */
};

struct et_effective et_effective_of(double inflation, size_t n);
/*
 * Of a test by ranks or signs: its p, because its normal deviate is shrunk and compared with t, and
 * the factor by which its interval is wider.
 */
double et_effective_p(const struct et_effective *e, double p);
double et_effective_width(const struct et_effective *e, double level);

/* The dependence of two series that are compared; inflations of 1: none was found. */
struct et_dependence {
	double r;                        /* autocorrelation at lag 1, of both together */
	double inflation_a, inflation_b; /* of the variances of the means */
	double inflation;                /* of the variance of their difference, equal spreads */
};

/*
 * Both series together decide whether there is dependence (their coefficient is above the band of
 * 95 %), so that independent series lose hardly any power: of 30 values each, 1.6 points of 81.
 * The amount is that of both, or of each if they differ (at 5 %). Coefficients are corrected as
 * et_serial_inflation corrects them. In simulations of normal data, 30 values each, false alarms
 * are then 5 % for phi = 0 and 0.6, and at most 8 % between. With fewer than 20 values in all,
 * where chance looks like dependence, there is no correction.
 */
struct et_dependence et_dependence_of(const double *a, size_t na, const double *b, size_t nb);
