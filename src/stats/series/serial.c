/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/serial.h"

#include "base/alloc.h"
#include "dist/dist.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/student.h"

#include <math.h>
#include <string.h>

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

struct et_runs et_runs_test(const double *x, size_t n)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	double median = et_median_sorted(sorted, n), a, b, mean, variance, size = (double)n;
	struct et_runs t = { .runs = n > 0, .z = NAN, .p = NAN };

	for (size_t i = 0; i < n; i++) {
		t.above += x[i] > median;
		t.runs += i && (x[i] > median) != (x[i - 1] > median);
	}
	t.below = n - t.above;
	if (!t.above || !t.below)
		return t;
	a = (double)t.above;
	b = (double)t.below;
	mean = 1 + 2 * a * b / size;
	variance = 2 * a * b * (2 * a * b - size) / (size * size * (size - 1));
	if (variance <= 0)
		return t;
	t.z = ((double)t.runs - mean) / sqrt(variance);
	t.p = et_pnorm_two_sided(t.z);
	return t;
}
