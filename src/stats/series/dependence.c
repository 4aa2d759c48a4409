/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/dependence.h"

#include <math.h>

enum { LEAST_SIDE = 5 };

/* Standard normal quantiles of the decisions below: the band of 95 %, and 1 % one-sided. */
static const double band = 1.96, one_dependent = 2.326;

struct et_effective et_effective_of(double inflation, size_t n)
{
	double size = (double)n;
	double bias = inflation > 1 ? (size - 1) / fmax(size - inflation, 1) : 1;

	return (struct et_effective){ sqrt(inflation * bias), fmax(size / inflation, 2) - 1 };
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
