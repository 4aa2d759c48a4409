/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Are successive values independent? Autocorrelation, Ljung-Box, Mann-Kendall trend, runs about
 * the median, and drift between the beginning and the rest. Constant series give NaN.
 */
#pragma once

#include "num/mean_interval.h"
#include "stats/compare/test.h"

#include <stddef.h>

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

struct et_runs {
	size_t runs, above, below; /* below holds those equal to the median too */
	double z, p;
};

/* Wald & Wolfowitz (1940): too few runs mean slow swings, too many alternation. */
struct et_runs et_runs_test(const double *x, size_t n);
