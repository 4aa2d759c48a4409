/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the adequate number of runs in series with a known answer. */
#include "protocol/samplesize.h"
#include "num/dist.h"
#include "num/rng.h"
#include "tap.h"

static double x[4096];

static void fill(size_t n, uint64_t seed, double depends, double drift)
{
	struct et_rng rng;
	double last = 0;

	et_rng_seed(&rng, seed, 0);
	for (size_t i = 0; i < n; i++) {
		last = depends * last + et_rng_normal(&rng);
		x[i] = 100 + last + drift * (double)i;
	}
}

static void test_sizes(void)
{
	struct et_samplesize s;

	fill(160, 1, 0, 0);
	et_samplesize(x, 160, 0.95, &s);
	ok(s.n_sizes == 6 && s.sizes[0].n == 160 && s.sizes[1].n == 80 && s.sizes[4].n == 10 &&
			s.sizes[5].n == 5,
		"sizes: 160 values are halved down to 5");
	et_samplesize(x, 11, 0.95, &s);
	ok(s.n_sizes == 2 && s.sizes[0].n == 11 && s.sizes[1].n == 5,
		"sizes: 11 values have the sizes 11 and 5");
	et_samplesize(x, 10, 0.95, &s);
	ok(s.n_sizes == 2 && s.sizes[1].parts == 2, "sizes: 10 values have two parts of 5");
}

static size_t recommended(size_t n, uint64_t seed, double depends, double drift)
{
	struct et_samplesize s;

	fill(n, seed, depends, drift);
	et_samplesize(x, n, 0.95, &s);
	return s.recommended;
}

static void test_recommended(void)
{
	size_t small = 0, dependent = 0, drifting = 0;

	for (uint64_t seed = 0; seed < 50; seed++) {
		small += recommended(1280, seed, 0, 0) <= 20;
		dependent += recommended(1280, seed, 0.95, 0) > 40;
		drifting += recommended(1280, seed, 0, 0.1) == 1280;
	}
	ok(small == 50, "recommended: 10 or 20 independent normal values (%zu of 50)", small);
	ok(dependent >= 45, "recommended: more than 40 correlated values (%zu of 50)", dependent);
	ok(drifting == 50, "recommended: the whole series if it drifts (%zu of 50)", drifting);
}

/* The variance of a mean of an autoregression of 0.6 is (1 + 0.6) / (1 - 0.6) = 4 times as large.
 */
static void test_dependence(void)
{
	struct et_samplesize s;
	double factor = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		fill(1000, seed, 0.6, 0);
		et_samplesize(x, 1000, 0.95, &s);
		et_samplesize_width(&s, 0.01);
		factor += s.widths[0].n / s.widths[0].independent / 20;
	}
	ok(factor > 3.6 && factor < 4.6,
		"dependence: an autoregression of 0.6 needs four times the runs (%.2f)", factor);
}

static void test_width(void)
{
	struct et_samplesize s;

	fill(100, 3, 0, 0);
	et_samplesize(x, 100, 0.95, &s);
	for (size_t i = 0; i < 4; i++) {
		static const double widths[] = { 0.1, 0.02, 0.005, 0.0001 };
		et_samplesize_width(&s, widths[i]);
		double n = s.widths[i].n, w[2];
		for (int k = 0; k < 2; k++)
			w[k] = 2 * et_qt(0.975, n - k - 1) * s.sd / sqrt(n - k) / s.mean;
		ok(w[0] <= widths[i] && !(w[1] <= widths[i]),
			"width: %g needs %g runs and no fewer", widths[i], n);
	}
	s.mean = 0;
	et_samplesize_width(&s, 0.01);
	ok(isinf(s.widths[4].n), "width: no number of runs is enough for a mean of 0");
	s.mean = 1;
	s.sd = 0;
	et_samplesize_width(&s, 0.01);
	ok(s.widths[5].n == 2, "width: two runs are enough for an sd of 0");
}

int main(void)
{
	test_sizes();
	test_recommended();
	test_width();
	test_dependence();
	return tap_done();
}
