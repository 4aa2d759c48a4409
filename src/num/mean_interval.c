/* SPDX-License-Identifier: MIT */
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/student.h"

#include <math.h>

enum {
	SKEW_LEAST = 8,
	EFFECTIVE_LEAST = 5, /* independent values that a series counts as, at least */
};

/* One-sided: dependence that makes an interval too wide does not break its promise. */
static const double dependence_alpha = 0.1;
static const double skew_limit = 0.1; /* of the half width */

/* Over n. The rest of the mean matters where its rounding does: values far from zero. */
static double autocovariance(const double *x, size_t n, double mean, double rest, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < n; i++)
		sum += (x[i] - mean - rest) * (x[i + lag] - mean - rest);
	return sum / (double)n;
}

void et_acf(const double *x, size_t n, size_t lags, double *r)
{
	double mean = et_mean(x, n), rest = et_mean_rest(x, n, mean);
	double c0 = n ? autocovariance(x, n, mean, rest, 0) : NAN;

	for (size_t k = 1; k <= lags; k++)
		r[k - 1] = k < n ? autocovariance(x, n, mean, rest, k) / c0 : NAN;
}

double et_autocorrelation(const double *x, size_t n, size_t lag)
{
	double mean = et_mean(x, n), rest = et_mean_rest(x, n, mean);

	if (lag >= n)
		return NAN;
	return autocovariance(x, n, mean, rest, lag) / autocovariance(x, n, mean, rest, 0);
}

/* The lag-1 coefficient less its bias. */
static double corrected(const double *x, size_t n)
{
	double r = et_autocorrelation(x, n, 1);

	return n >= ET_DEPENDENCE_TESTABLE ? r + (1 + 4 * r) / (double)n : r;
}

double et_ar1_inflation(double phi, size_t n)
{
	double size = (double)n, sum = 0, power = 1;

	if (!(phi > 0))
		return 1;
	phi = fmin(phi, 0.95);
	for (size_t k = 1; k < n && power > 1e-9; k++) {
		power *= phi;
		sum += (1 - (double)k / size) * power;
	}
	return 1 + 2 * sum;
}

double et_serial_inflation(const double *x, size_t n)
{
	double r = corrected(x, n);

	if (n >= ET_DEPENDENCE_TESTABLE && r > 0)
		r += 0.3 * sqrt(fmax(0, 1 - r * r) / (double)n);
	return et_ar1_inflation(r, n);
}

/* Widens for dependence; the factor includes the bias (n - v)/(n - 1) of the variance. */
static void allow_for_dependence(const double *x, size_t n, struct et_mean_interval *m)
{
	double size = (double)n;

	if (n < ET_DEPENDENCE_TESTABLE ||
		!(corrected(x, n) > et_qnorm(1 - dependence_alpha) / sqrt(size)))
		return;
	m->inflation = fmin(et_serial_inflation(x, n), size / EFFECTIVE_LEAST);
	m->u *= sqrt(m->inflation * (size - 1) / (size - m->inflation));
	m->df = size / m->inflation - 1;
}

/* G = sqrt(n (n - 1)) / (n - 2) times m3 / m2^(3/2) is the skewness less most of its bias. */
static double skew_effect(const double *x, size_t n, double t)
{
	double size = (double)n;

	if (n < SKEW_LEAST)
		return NAN;
	return fabs(et_skewness(x, n)) * sqrt(size * (size - 1)) / (size - 2) * (1 + 2 * t * t) /
	       (6 * sqrt(size) * t);
}

struct et_mean_interval et_mean_interval(const double *x, size_t n, double level)
{
	struct et_mean_interval m = { .mean = et_mean(x, n),
		.u = et_sd(x, n) / sqrt((double)n),
		.df = (double)n - 1,
		.half = NAN,
		.student = NAN,
		.skew_effect = NAN,
		.inflation = 1 };

	if (n < 2)
		return m;
	double t = et_qt((1 + level) / 2, m.df);
	m.student = t * m.u;
	allow_for_dependence(x, n, &m);
	m.half = et_qt((1 + level) / 2, m.df) * m.u;
	m.skew_effect = skew_effect(x, n, t);
	m.skewed = m.skew_effect > skew_limit;
	if (m.skewed)
		m.half += m.skew_effect * m.student;
	return m;
}
