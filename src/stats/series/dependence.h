/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Serial dependence: how much less n dependent values say about a mean than n independent ones,
 * of one series and of two that are compared.
 */
#pragma once

#include "num/mean_interval.h"

/* The correction of a test by an inflation; it includes the bias (n - v)/(n - 1) of the variance.
 */
struct et_effective {
	double factor; /* of the standard error */
	double df;     /* n/v - 1, at least 1 */
};

struct et_effective et_effective_of(double inflation, size_t n);

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
