/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/dist.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Rmath.h defines macros without a prefix (pt, df, beta …), so no header may include it. */
#define MATHLIB_STANDALONE 1
#include <Rmath.h>

enum { UPPER = 0, LOWER = 1 };

/* libRmath prints a warning for arguments outside the domain, so these are rejected first. */
static bool is_probability(double p)
{
	return p >= 0 && p <= 1;
}

static bool is_count(double n)
{
	return n >= 1 && n == floor(n) && isfinite(n);
}

double et_pchisq_upper(double x, double df)
{
	return !isnan(x) && df > 0 && isfinite(df) ? pchisq(x, df, UPPER, 0) : NAN;
}

double et_qchisq(double p, double df)
{
	return is_probability(p) && df > 0 && isfinite(df) ? qchisq(p, df, LOWER, 0) : NAN;
}

double et_qf(double p, double df1, double df2)
{
	return is_probability(p) && df1 > 0 && df2 > 0 ? qf(p, df1, df2, LOWER, 0) : NAN;
}

double et_pf_noncentral(double f, double df1, double df2, double ncp)
{
	bool good = !isnan(f) && df1 > 0 && isfinite(df1) && df2 > 0 && ncp >= 0 && ncp <= 1e5;

	return good ? pnf(f, df1, df2, ncp, LOWER, 0) : NAN;
}

double et_ptukey_upper(double q, double groups, double df)
{
	return q >= 0 && groups >= 2 && df >= 2 ? ptukey(q, 1, groups, df, UPPER, 0) : NAN;
}

double et_qtukey(double p, double groups, double df)
{
	return is_probability(p) && groups >= 2 && df >= 2 ? qtukey(p, 1, groups, df, LOWER, 0)
							   : NAN;
}

/*
 * The exact distributions of Wilcoxon's and Mann-Whitney's rank statistics for small samples. They
 * need no memory but the stack: libRmath allocates tables for them, and if that fails, it prints to
 * standard output and ends the program with status 1.
 */
enum { MOST = 64, MOST_SUM = MOST * MOST }; /* observations per sample */

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
static double law_tail(const struct law *l, double x, bool upper)
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
static double law_quantile(const struct law *l, double p)
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

static double psignrank_tail(double v, double n, int tail)
{
	if (isnan(v) || !is_count(n))
		return NAN;
	if (n > MOST)
		return psignrank(v, n, tail, 0);
	struct law l;
	signed_law((unsigned)n, &l);
	return law_tail(&l, nearbyint(v + 1e-7), tail == UPPER);
}

double et_psignrank(double v, double n)
{
	return psignrank_tail(v, n, LOWER);
}

double et_psignrank_upper(double v, double n)
{
	return psignrank_tail(v, n, UPPER);
}

double et_qsignrank(double p, double n)
{
	if (!is_probability(p) || !is_count(n))
		return NAN;
	if (n > MOST)
		return qsignrank(p, n, LOWER, 0);
	struct law l;
	signed_law((unsigned)n, &l);
	return law_quantile(&l, p);
}

static double pwilcox_tail(double w, double m, double n, int tail)
{
	if (isnan(w) || !is_count(m) || !is_count(n))
		return NAN;
	if (m > MOST || n > MOST)
		return pwilcox(w, m, n, tail, 0);
	struct law l;
	sum_law((unsigned)m, (unsigned)n, &l);
	return law_tail(&l, floor(w + 1e-7), tail == UPPER);
}

double et_pwilcox(double w, double m, double n)
{
	return pwilcox_tail(w, m, n, LOWER);
}

double et_pwilcox_upper(double w, double m, double n)
{
	return pwilcox_tail(w, m, n, UPPER);
}

double et_qwilcox(double p, double m, double n)
{
	if (!is_probability(p) || !is_count(m) || !is_count(n))
		return NAN;
	if (m > MOST || n > MOST)
		return qwilcox(p, m, n, LOWER, 0);
	struct law l;
	sum_law((unsigned)m, (unsigned)n, &l);
	return law_quantile(&l, p);
}
