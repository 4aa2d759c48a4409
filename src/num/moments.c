/* SPDX-License-Identifier: MIT */
#include "num/moments.h"

#include <math.h>

/* A running sum, and the sum of its rounding errors. */
struct sum {
	double total, lost;
};

/* Neumaier (1974), the improved Kahan-Babuska summation. */
static inline void add(struct sum *s, double v)
{
	double t = s->total + v;

	s->lost += fabs(s->total) >= fabs(v) ? (s->total - t) + v : (v - t) + s->total;
	s->total = t;
}

/* After an overflow total is infinite and lost is NaN; the result is infinite. */
static inline double value(const struct sum *s)
{
	return isfinite(s->total) ? s->total + s->lost : s->total;
}

double et_sum(const double *x, size_t n)
{
	struct sum s = { 0 };

	for (size_t i = 0; i < n; i++)
		add(&s, x[i]);
	return value(&s);
}

/* Returns the sum of (x - mean)^power. *shift is that of (x - mean): not 0 if mean was rounded. */
static double central_sum(const double *x, size_t n, double mean, int power, double *shift)
{
	struct sum s = { 0 }, first = { 0 };

	for (size_t i = 0; i < n; i++) {
		double d = x[i] - mean, t = d;

		for (int k = 1; k < power; k++)
			t *= d;
		add(&s, t);
		add(&first, d);
	}
	*shift = value(&first);
	return value(&s);
}

/* A second pass corrects for the rounding of the division: the result is the nearest double. */
double et_mean(const double *x, size_t n)
{
	double mean = n ? et_sum(x, n) / (double)n : NAN, shift;

	if (!isfinite(mean))
		return mean;
	central_sum(x, n, mean, 1, &shift);
	return mean + shift / (double)n;
}

/* The corrected two-pass algorithm: Chan, Golub & LeVeque (1983), eq. 1.7. */
double et_variance(const double *x, size_t n)
{
	double shift, squares;

	if (n < 2)
		return NAN;
	squares = central_sum(x, n, et_mean(x, n), 2, &shift);
	squares -= shift * shift / (double)n;
	return squares > 0 || isnan(squares) ? squares / (double)(n - 1) : 0;
}

double et_sd(const double *x, size_t n)
{
	return sqrt(et_variance(x, n));
}

double et_mean_rest(const double *x, size_t n, double mean)
{
	double shift, squares = central_sum(x, n, mean, 2, &shift), rest = shift / (double)n;

	/* A smaller one moves no figure; ours then agree with R's, which has no such correction. */
	return fabs(rest) > 1e-6 * sqrt(squares / (double)n) ? rest : 0;
}

/*
 * Fills m[2] … m[most] with the moments about the mean as it is rounded; returns by how much the
 * exact mean is above it. The callers move the moments there.
 */
static double rounded_moments(const double *x, size_t n, int most, double *m)
{
	double mean = et_mean(x, n), shift;

	for (int k = 2; k <= most; k++)
		m[k] = central_sum(x, n, mean, k, &shift) / (double)n;
	return et_mean_rest(x, n, mean);
}

double et_skewness(const double *x, size_t n)
{
	double m[4], rest = rounded_moments(x, n, 3, m);

	m[3] -= rest * (3 * m[2] - 2 * rest * rest);
	return m[3] / pow(m[2] - rest * rest, 1.5);
}

double et_kurtosis(const double *x, size_t n)
{
	double m[5], rest = rounded_moments(x, n, 4, m);

	m[4] -= rest * (4 * m[3] - rest * (6 * m[2] - 3 * rest * rest));
	return m[4] / pow(m[2] - rest * rest, 2);
}
