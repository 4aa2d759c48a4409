/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/rankdist.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { MOST = ET_RANKDIST_MOST, MOST_SUM = MOST * MOST };

/* C(128, 64) needs 125 bits. */
__extension__ typedef unsigned __int128 count;

/* A statistic from 0 to max. Its law is symmetric, so p has the probabilities up to max / 2. */
struct law {
	unsigned max;
	double p[MOST_SUM / 2 + 1];
};

/* Of the 2^n subsets of 1 … n, those with the sum k: the coefficients of prod (1 + x^i). */
static void signed_law(unsigned n, struct law *l)
{
	uint64_t of[MOST * (MOST + 1) / 4 + 1] = { 1 };

	l->max = n * (n + 1) / 2;
	for (unsigned i = 1; i <= n; i++) {
		for (unsigned k = l->max / 2; k >= i; k--)
			of[k] += of[k - i];
	}
	for (unsigned k = 0; k <= l->max / 2; k++)
		l->p[k] = ldexp((double)of[k], -(int)n);
}

/*
 * Of the C(m+n, n) orders of two samples, those with the statistic k: the coefficients of the
 * Gaussian binomial coefficient, prod (1 - x^(n+i)) / (1 - x^i). Intermediate values are exact
 * modulo 2^128, and so are the coefficients, which are smaller.
 */
static void sum_law(unsigned m, unsigned n, struct law *l)
{
	count of[MOST_SUM / 2 + 1] = { 1 }, all = 0;
	unsigned half = m * n / 2;

	for (unsigned i = 1; i <= m; i++) {
		for (unsigned k = half; k >= n + i; k--)
			of[k] -= of[k - n - i];
		for (unsigned k = i; k <= half; k++)
			of[k] += of[k - i];
	}
	for (unsigned k = 0; k <= half; k++)
		all += 2 * k == m * n ? of[k] : 2 * of[k];
	l->max = m * n;
	for (unsigned k = 0; k <= half; k++)
		l->p[k] = (double)of[k] / (double)all;
}

/* Sums the shorter tail, and subtracts only if the longer one is wanted. */
static double tail(const struct law *l, double x, bool upper)
{
	double sum = 0;

	if (x < 0 || x >= l->max)
		return (x < 0) == upper ? 1 : 0;
	bool low = x <= l->max / 2;
	unsigned end = low ? (unsigned)x + 1 : l->max - (unsigned)x;
	for (unsigned k = 0; k < end; k++)
		sum += l->p[k];
	return low == upper ? 1 - sum : sum;
}

/* The rounding tolerance is that of R. */
static double quantile(const struct law *l, double p)
{
	bool low = p <= 0.5;
	double target = low ? p - 10 * DBL_EPSILON : 1 - p + 10 * DBL_EPSILON, sum = 0;

	if (p <= 0 || p >= 1)
		return p <= 0 ? 0 : l->max;
	for (unsigned k = 0; k <= l->max / 2; k++) {
		sum += l->p[k];
		if (low ? sum >= target : sum > target)
			return low ? k : l->max - k;
	}
	return l->max - l->max / 2; /* rounding: the median of an odd max is its upper one */
}

double et_rankdist_signed_p(double v, unsigned n, bool upper)
{
	struct law l;

	signed_law(n, &l);
	return tail(&l, nearbyint(v + 1e-7), upper);
}

double et_rankdist_signed_quantile(double p, unsigned n)
{
	struct law l;

	signed_law(n, &l);
	return quantile(&l, p);
}

double et_rankdist_sum_p(double w, unsigned m, unsigned n, bool upper)
{
	struct law l;

	sum_law(m, n, &l);
	return tail(&l, floor(w + 1e-7), upper);
}

double et_rankdist_sum_quantile(double p, unsigned m, unsigned n)
{
	struct law l;

	sum_law(m, n, &l);
	return quantile(&l, p);
}
