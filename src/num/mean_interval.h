/* SPDX-License-Identifier: MIT */
/*
 * The interval of a mean that every command prints and that --until looks at: Student's t, widened
 * where the values themselves show that it would be too narrow. The limits were found by simulation
 * (`etalon lab coverage`, doc/coverage.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* With fewer values, chance looks like dependence. */
enum { ET_DEPENDENCE_TESTABLE = 20 };

/* r_k with n in the denominator (Box & Jenkins 1976, eq. 2.1.12); NaN for lag >= n. */
double et_autocorrelation(const double *x, size_t n, size_t lag);
/* r[0] is lag 1 … r[lags - 1] is lag `lags`. */
void et_acf(const double *x, size_t n, size_t lags, double *r);

/*
 * The factor, at least 1, by which serial dependence multiplies the variance of a mean of n values
 * of an autoregression of first order: 1 + 2 sum (1 - k/n) phi^k over k = 1 … n - 1 (Bartlett 1946;
 * Bayley & Hammersley 1946, eq. 5). A phi above 0.95 counts as 0.95.
 */
double et_ar1_inflation(double phi, size_t n);
/*
 * The same of values: phi is their lag-1 coefficient less its bias -(1 + 4 phi)/n (Marriott & Pope
 * 1954; Kendall 1954), and, because phi is itself uncertain, 0.3 of its standard error is added: in
 * simulations, false alarms then stay at 5 % for phi up to 0.6 from 30 pairs on. Below 20 pairs,
 * where chance looks like dependence, the plain coefficient is used.
 */
double et_serial_inflation(const double *x, size_t n);

struct et_mean_interval {
	double mean;
	double u;       /* standard uncertainty of the mean; dependence is allowed for */
	double df;      /* degrees of freedom that are left */
	double half;    /* of the width */
	double student; /* the same by Student's t alone */
	/*
	 * How far skewness moves an end of the interval, over the half width by Student's t: by the
	 * first terms of the Cornish-Fisher expansion of t, G (1 + 2 t^2) / (6 sqrt(n))
	 * (Johnson 1978; Hall 1992, 3.10.3). NaN where it is not computed.
	 */
	double skew_effect;
	double inflation; /* of the variance by serial dependence; 1: none was found */
	bool skewed;      /* the half width includes the effect of skewness */
};

/*
 * The interval of the mean of x, in order of execution. From 20 values on it is widened for
 * dependence if the lag-1 coefficient, corrected for its bias, is significant at 10 % (one-sided);
 * the values count as at least 5 independent ones, because a series that only drifts would have
 * none. From 8 values on it is widened by the effect of skewness if that is above a tenth of the
 * half width. It stays symmetric, so that it can be printed with a ± sign: the end that skewness
 * moves outwards decides. All figures are NaN for n < 2, except the mean of one value.
 */
struct et_mean_interval et_mean_interval(const double *x, size_t n, double level);
