/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Are successive values independent? Autocorrelation, Ljung-Box, Mann-Kendall trend, runs about
 * the median, and drift between the beginning and the rest. Constant series give NaN.
 */
#ifndef ET_STATS_SERIAL_H
#define ET_STATS_SERIAL_H

#include "num/mean_interval.h"
#include "stats/test.h"

#include <stddef.h>

/* The autocorrelations: r[0] is lag 1 … r[lags - 1] is lag `lags`. */
void et_acf(const double *x, size_t n, size_t lags, double *r);
/* Half width of the band that a white series' coefficient stays in with probability level. */
double et_acf_band(size_t n, double level);

/* Ljung & Box (1978); statistic is chi-square with df = lags under independence. */
struct et_test et_ljung_box(const double *x, size_t n, size_t lags);

/*
 * The number of independent values that determine the mean as well as these n: n / (1 + 2 sum r_k),
 * summed while pairs of coefficients stay positive (Geyer 1992). Not above n; NaN for constant
 * series.
 */
double et_effective_size(const double *x, size_t n);

struct et_trend {
	double s;   /* pairs that rise minus pairs that fall */
	double z;   /* with continuity correction */
	double tau; /* Kendall's tau-b against time */
	double p;
};

/* Mann (1945), Kendall (1975): monotone trend, variance corrected for ties. O(n log n). */
struct et_trend et_mann_kendall(const double *x, size_t n);
/* The same by the exact distribution of S: no ties, n below 50; otherwise p is NaN. */
double et_mann_kendall_exact_p(const double *x, size_t n);

struct et_runs {
	size_t runs, above, below; /* below holds those equal to the median too */
	double z, p;
};

/* Wald & Wolfowitz (1940): too few runs mean slow swings, too many alternation. */
struct et_runs et_runs_test(const double *x, size_t n);

#endif
