/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * P. Royston (1995), "Remark AS R94: A remark on algorithm AS 181: The W-test for normality",
 * Applied Statistics 44, 547-551; the weights after Royston (1992).
 */
#include "stats/series/interval.h"

/* c[0] + c[1] x + … */
static double polynomial(const double *c, size_t n, double x)
{
	double sum = 0;

	while (n-- > 0)
		sum = sum * x + c[n];
	return sum;
}

#define POLYNOMIAL(c, x) polynomial((c), ET_LENGTH(c), (x))

/* The weights of the lower half; the upper half has them with the opposite sign. */
static void weights(size_t n, double *a)
{
	static const double c1[] = { 0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056 };
	static const double c2[] = { 0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633 };
	double size = (double)n, sum = 0, root, a1, a2, scale;
	size_t half = n / 2, first;

	if (n == 3) {
		a[0] = M_SQRT1_2;
		return;
	}
	for (size_t i = 0; i < half; i++) {
		a[i] = et_qnorm(((double)i + 1 - 0.375) / (size + 0.25));
		sum += 2 * a[i] * a[i];
	}
	root = sqrt(sum);
	a1 = POLYNOMIAL(c1, 1 / sqrt(size)) - a[0] / root;
	if (n > 5) {
		a2 = POLYNOMIAL(c2, 1 / sqrt(size)) - a[1] / root;
		scale = sqrt((sum - 2 * a[0] * a[0] - 2 * a[1] * a[1]) /
			     (1 - 2 * a1 * a1 - 2 * a2 * a2));
		a[1] = a2;
		first = 2;
	} else {
		scale = sqrt((sum - 2 * a[0] * a[0]) / (1 - 2 * a1 * a1));
		first = 1;
	}
	a[0] = a1;
	for (size_t i = first; i < half; i++)
		a[i] /= -scale;
}

/* 1 - W, without the loss of digits when W is near 1. x is sorted. */
static double one_minus_w(const double *x, size_t n, const double *a)
{
	double range = x[n - 1] - x[0], mean = 0, ssa = 0, ssx = 0, sax = 0, both;

	/* from the median, so that a large offset costs no digits */
	for (size_t i = 0; i < n; i++)
		mean += (x[i] - x[n / 2]) / range;
	mean /= (double)n;
	for (size_t i = 0; i < n; i++) {
		size_t mirror = n - 1 - i;
		double w = i < mirror ? -a[i] : i > mirror ? a[mirror] : 0;
		double d = (x[i] - x[n / 2]) / range - mean;

		ssa += w * w;
		ssx += d * d;
		sax += w * d;
	}
	both = sqrt(ssa * ssx);
	return (both - sax) * (both + sax) / (ssa * ssx);
}

static double p_value(double rest, size_t n)
{
	static const double c3[] = { 0.544, -0.39978, 0.025054, -6.714e-4 };
	static const double c4[] = { 1.3822, -0.77857, 0.062767, -0.0020322 };
	static const double c5[] = { -1.5861, -0.31082, -0.083751, 0.0038915 };
	static const double c6[] = { -0.4803, -0.082676, 0.0030302 };
	static const double g[] = { -2.273, 0.459 };
	double y = log(rest), size = (double)n, log_n = log(size), mean, sd, gamma;

	if (n == 3) /* exact: 6/pi (asin sqrt W - asin sqrt 3/4) */
		return fmax(0, 6 / M_PI * (asin(sqrt(1 - rest)) - M_PI / 3));
	if (n <= 11) {
		gamma = POLYNOMIAL(g, size);
		if (y >= gamma)
			return 1e-99; /* as the algorithm has it: off its scale */
		y = -log(gamma - y);
		mean = POLYNOMIAL(c3, size);
		sd = exp(POLYNOMIAL(c4, size));
	} else {
		mean = POLYNOMIAL(c5, log_n);
		sd = exp(POLYNOMIAL(c6, log_n));
	}
	return et_pnorm_upper((y - mean) / sd);
}

/* A random choice of m of the n values, by a partial shuffle. */
static void draw(double *x, size_t n, size_t m)
{
	struct et_rng rng;

	et_rng_seed(&rng, 94, 0);
	for (size_t i = 0; i < m; i++) {
		size_t j = i + (size_t)et_rng_below(&rng, n - i);
		double t = x[i];

		x[i] = x[j];
		x[j] = t;
	}
}

struct et_normality et_shapiro_wilk(const double *x, size_t n)
{
	ET_AUTO_FREE double *copy = et_alloc(n * sizeof(*copy));
	struct et_normality out = { NAN, NAN, n };
	double a[ET_SHAPIRO_MOST / 2], rest;

	if (n < ET_SHAPIRO_LEAST)
		return out;
	memcpy(copy, x, n * sizeof(*copy));
	if (n > ET_SHAPIRO_MOST) {
		draw(copy, n, ET_SHAPIRO_MOST);
		out.n_used = ET_SHAPIRO_MOST;
	}
	et_sort(copy, out.n_used);
	if (copy[0] == copy[out.n_used - 1])
		return out;
	weights(out.n_used, a);
	rest = one_minus_w(copy, out.n_used, a);
	out.w = 1 - rest;
	out.p = isnan(rest) ? NAN : p_value(rest, out.n_used); /* squares beyond all range */
	return out;
}
