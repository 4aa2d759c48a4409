/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/serial.h"

/* Bartlett (1946): 1/sqrt(n) is the coefficient's standard error for a white series. */
double et_acf_band(size_t n, double level)
{
	return n ? et_qnorm((1 + level) / 2) / sqrt((double)n) : NAN;
}

struct et_test et_ljung_box(const double *x, size_t n, size_t lags)
{
	ET_AUTO_FREE double *r = et_alloc(lags * sizeof(*r));
	struct et_test t = { .df = (double)lags };
	double sum = 0;

	et_acf(x, n, lags, r);
	for (size_t k = 1; k <= lags; k++)
		sum += r[k - 1] * r[k - 1] / ((double)n - (double)k);
	t.statistic = (double)n * ((double)n + 2) * sum;
	t.p = et_pchisq_upper(t.statistic, t.df);
	return t;
}

/* S and the tie terms; Knight (1966) counts the falling pairs as a merge sort's inversions. */
static double kendall_s(const double *x, size_t n, struct et_ties *ties)
{
	ET_AUTO_FREE double *copy = et_alloc(n * sizeof(*copy));
	double pairs = (double)n * ((double)n - 1), falling;

	memcpy(copy, x, n * sizeof(*copy));
	falling = (double)et_inversions(copy, n);
	*ties = et_ties_sorted(copy, n);
	return (pairs - ties->pairs2) / 2 - 2 * falling;
}

struct et_trend et_mann_kendall(const double *x, size_t n)
{
	struct et_trend t = { .s = 0, .z = NAN, .tau = NAN, .p = NAN };
	double pairs = (double)n * ((double)n - 1), variance;
	struct et_ties ties;

	if (n < 2)
		return t;
	t.s = kendall_s(x, n, &ties);
	variance = (pairs * (2 * (double)n + 5) - ties.kendall) / 18;
	if (variance <= 0)
		return t;
	t.tau = 2 * t.s / sqrt((pairs - ties.pairs2) * pairs);
	t.z = t.s == 0 ? 0 : (t.s - copysign(1, t.s)) / sqrt(variance);
	t.p = et_pnorm_two_sided(t.z);
	return t;
}

enum { LEAST_SIDE = 5 };

/* Standard normal quantiles of the decisions below: the band of 95 %, and 1 % one-sided. */
static const double band = 1.96, one_dependent = 2.326;

struct et_effective et_effective_of(double inflation, size_t n)
{
	double size = (double)n;
	double bias = inflation > 1 ? (size - 1) / fmax(size - inflation, 1) : 1;

	return (struct et_effective){ sqrt(inflation * bias), fmax(size / inflation, 2) - 1 };
}

double et_effective_p(const struct et_effective *e, double p)
{
	return e->factor > 1 ? et_pt_two_sided(et_qnorm(p / 2) / e->factor, e->df) : p;
}

double et_effective_width(const struct et_effective *e, double level)
{
	double nominal = 0.5 + level / 2;

	return e->factor > 1 ? e->factor * et_qt(nominal, e->df) / et_qnorm(nominal) : 1;
}

/*
 * Less the bias of the coefficient: Marriott & Pope (1954), Kendall (1954). A constant series has
 * no coefficient (NaN, which fmin would take for 0.99) and shows no dependence.
 */
static double unbiased(double r, double n)
{
	return isnan(r) ? 0 : fmin(r + (1 + 4 * r) / n, 0.99);
}

/* The coefficient is uncertain: see et_serial_inflation. */
static double inflation(double r, double values, size_t n)
{
	return r > 0 ? et_ar1_inflation(r + 0.3 * sqrt(fmax(0, 1 - r * r) / values), n) : 1;
}

struct et_dependence et_dependence_of(const double *a, size_t na, const double *b, size_t nb)
{
	struct et_dependence none = { .inflation_a = 1, .inflation_b = 1, .inflation = 1 };
	double ma = (double)na, mb = (double)nb, all = ma + mb;
	double ra = unbiased(et_autocorrelation(a, na, 1), ma);
	double rb = unbiased(et_autocorrelation(b, nb, 1), mb);

	if (na < LEAST_SIDE || nb < LEAST_SIDE || na + nb < ET_DEPENDENCE_TESTABLE)
		return none;
	double r = (ma * ra + mb * rb) / all;
	bool differ = fabs(ra - rb) > band * sqrt(1 / ma + 1 / mb);
	bool either = fmax(ra * sqrt(ma), rb * sqrt(mb)) > one_dependent;
	if (!(r > band / sqrt(all)) && !(differ && either))
		return none;
	struct et_dependence d = {
		.r = r,
		.inflation_a = differ ? inflation(ra, ma, na) : inflation(r, all, na),
		.inflation_b = differ ? inflation(rb, mb, nb) : inflation(r, all, nb),
	};
	double fa = et_effective_of(d.inflation_a, na).factor;
	double fb = et_effective_of(d.inflation_b, nb).factor;
	d.inflation = (fa * fa / ma + fb * fb / mb) / (1 / ma + 1 / mb);
	return d;
}
