/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/serial.h"

#include "base/alloc.h"
#include "num/dist.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rank.h"

#include <math.h>
#include <string.h>

static double autocovariance(const double *x, size_t n, double mean, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < n; i++)
		sum += (x[i] - mean) * (x[i + lag] - mean);
	return sum / (double)n;
}

void et_acf(const double *x, size_t n, size_t lags, double *r)
{
	double mean = et_mean(x, n), c0 = n ? autocovariance(x, n, mean, 0) : NAN;

	for (size_t k = 1; k <= lags; k++)
		r[k - 1] = k < n ? autocovariance(x, n, mean, k) / c0 : NAN;
}

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

double et_effective_size(const double *x, size_t n)
{
	double mean = et_mean(x, n), c0 = n ? autocovariance(x, n, mean, 0) : 0, sum = 0;

	if (!(c0 > 0))
		return NAN;
	for (size_t k = 0; k + 1 < n; k += 2) { /* k = 0: 1 + r_1 */
		double pair =
			(autocovariance(x, n, mean, k) + autocovariance(x, n, mean, k + 1)) / c0;

		if (pair <= 0)
			break;
		sum += pair;
	}
	return fmin((double)n, (double)n / fmax(1, 2 * sum - 1));
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

/*
 * The number of permutations of n with k inversions over n! (Kendall 1938): adding the m-th
 * element spreads each count over 0 … m-1 further inversions.
 */
static void inversion_law(size_t n, size_t most, double *law)
{
	law[0] = 1;
	for (size_t k = 1; k <= most; k++)
		law[k] = 0;
	for (size_t m = 2; m <= n; m++)
		for (size_t k = most + 1; k-- > 0;) {
			double sum = 0;

			for (size_t j = 0; j < m && j <= k; j++)
				sum += law[k - j];
			law[k] = sum / (double)m;
		}
}

double et_mann_kendall_exact_p(const double *x, size_t n)
{
	struct et_ties ties;
	double s, tail = 0;
	size_t fewer;

	if (n < 2 || n >= 50)
		return NAN;
	s = kendall_s(x, n, &ties);
	if (ties.pairs2 > 0)
		return NAN;
	/* by symmetry the smaller tail holds at most this many inversions */
	fewer = (size_t)(((double)(n * (n - 1) / 2) - fabs(s)) / 2);
	{
		ET_AUTO_FREE double *law = et_alloc((fewer + 1) * sizeof(*law));

		inversion_law(n, fewer, law);
		for (size_t k = 0; k <= fewer; k++)
			tail += law[k];
	}
	return fmin(1, 2 * tail);
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
