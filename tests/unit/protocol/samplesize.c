/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the adequate number of runs in series with a known answer. */
#include "protocol/samplesize.h"
#include "base/base.h"
#include "num/rng.h"
#include "num/student.h"
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

static void expect_steps(size_t n, const char *want)
{
	size_t steps[ET_SIZES_MOST], k = et_samplesize_steps(n, steps);
	char *got = NULL;

	for (size_t i = 0; i < k; i++)
		et_append(&got, " ", "%zu", steps[i]);
	is_str(got, want, "steps: a series of %zu values is divided", n);
	free(got);
}

/* The papers' sizes of 800, 300 and 40 samples, and those of other series. */
static void test_steps(void)
{
	expect_steps(800, "800 400 200 100 40 30 20 10");
	expect_steps(300, "300 150 75 40 20 10 5");
	expect_steps(40, "40 25 10 5");
	expect_steps(1000, "1000 500 250 125 62 40 30 20 10");
	expect_steps(100, "100 40 20 10 5");
	expect_steps(41, "41 20 10 5");
	expect_steps(20, "20 10 5");
	expect_steps(10, "10 5");
	size_t steps[ET_SIZES_MOST];
	ok(et_samplesize_steps(SIZE_MAX / 4, steps) < ET_SIZES_MOST,
		"steps: no series has too many");
}

/*
 * The 15 of 800 samples that the papers' cutoffs remove (Table XVII). Table XX counts 15 of 800 and
 * 7 of the first 400, too; of the first 200 and 100 it counts 4 and 2, where Table XVII has 3
 * and 1.
 */
static void test_first_check(void)
{
	static const size_t removed[] = { 75, 104, 186, 216, 298, 328, 366, 410, 439, 522, 551, 634,
		663, 746, 775 };
	static const size_t want[] = { 15, 7, 3, 1, 0, 0, 0, 0 };
	bool spoilt[800] = { false };
	struct et_sizing all = { .x = x, .spoilt = spoilt, .n = 800 };
	struct et_samplesize s;
	size_t same = 0;

	fill(800, 1, 0, 0);
	for (size_t i = 0; i < ET_LENGTH(removed); i++) {
		spoilt[removed[i] - 1] = true;
		x[removed[i] - 1] += 1000; /* it would hide every other outlier */
	}
	et_samplesize_checked(&all, x, 800, 0.95, &s);
	for (size_t i = 0; i < s.n_sizes; i++)
		same += s.sizes[i].outliers.first == want[i];
	ok(s.n_sizes == 8 && same == 8, "first check: the samples of Table XVII are outliers");
	ok(s.sizes[0].outliers.second > 20 && s.sizes[0].outliers.second < 50,
		"first check: the second check judges the others (%zu)",
		s.sizes[0].outliers.second);
	ok(s.sizes[0].sd > 0.8 && s.sizes[0].sd < 0.95,
		"first check: the sd is that of the values left (%.2f)", s.sizes[0].sd);
	ok(s.recommended == 10, "first check: 10 samples represent 800 (%zu)", s.recommended);
}

/* Spoilt samples are not in the sd that decides about the others, in each part on its own. */
static void test_outliers(void)
{
	bool spoilt[40] = { false };
	struct et_sizing all = { .x = x, .spoilt = spoilt, .n = 40 };
	struct et_samplesize s;

	for (size_t i = 0; i < 40; i++)
		x[i] = 100 + (double)(i % 2);
	x[3] = 200;
	x[30] = 5000;
	spoilt[30] = true;
	et_samplesize_checked(&all, x, 40, 0.95, &s);
	ok(s.sizes[0].n == 40 && s.sizes[0].outliers.first == 1 && s.sizes[0].outliers.second == 1,
		"outliers: 2 (=1+1) of 40");
	ok(s.sizes[1].n == 25 && s.sizes[1].outliers.first == 0 && s.sizes[1].outliers.second == 1,
		"outliers: 1 (=0+1) of the first 25");
	ok(s.sizes[3].n == 5 && s.sizes[3].outliers.second == 0,
		"outliers: check II needs six values");
	near(s.sizes[1].mean, (12 * 100 + 12 * 101 - 1 + 1) / 24.0, 1e-9, 0.05,
		"outliers: the mean is that of the values left");
	ok(s.sizes[1].sd < 1, "outliers: the sd is that of the values left");
	ok(!s.sizes[3].represents,
		"outliers: a size of which five values would not be left is none");
}

static size_t recommended(size_t n, uint64_t seed, double depends, double drift)
{
	struct et_samplesize s;

	fill(n, seed, depends, drift);
	et_samplesize(x, n, 0.95, &s);
	return s.recommended;
}

/* Eight of 800 values are 50 larger: parts of 10 that contain one differ, most do not. */
static size_t recommended_spoilt(uint64_t seed)
{
	struct et_samplesize s;

	fill(800, seed, 0, 0);
	for (size_t i = 0; i < 8; i++)
		x[100 * i + (37 * i + seed) % 100] += 50;
	et_samplesize(x, 800, 0.95, &s);
	return s.recommended;
}

static void test_recommended(void)
{
	size_t small = 0, dependent = 0, drifting = 0, ten = 0, spoilt = 0;

	for (uint64_t seed = 0; seed < 50; seed++) {
		small += recommended(1280, seed, 0, 0) <= 20;
		ten += recommended(300, seed, 0, 0) == 10;
		spoilt += recommended_spoilt(seed) == 10;
		dependent += recommended(1280, seed, 0.95, 0) > 40;
		drifting += recommended(1280, seed, 0, 0.1) == 1280;
	}
	ok(small == 50, "recommended: 10 or 20 independent normal values (%zu of 50)", small);
	ok(ten >= 40, "recommended: 10 of 300 independent normal values (%zu of 50)", ten);
	ok(spoilt >= 45, "recommended: 10 of 800 values with 1 %% outliers (%zu of 50)", spoilt);
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
	test_steps();
	test_first_check();
	test_outliers();
	test_recommended();
	test_width();
	test_dependence();
	return tap_done();
}
