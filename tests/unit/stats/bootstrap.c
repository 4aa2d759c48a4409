/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bootstrap: equal seeds give equal results, and results agree with known distributions. */
#include "stats/series/bootstrap.h"
#include "base/base.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rng.h"
#include "tap.h"

static double x[101], y[60];

static const struct et_boot_options standard = { .seed = 42,
	.replicates = 20001,
	.level = 0.95,
	.threads = 1,
	.width = ET_WIDTH_PORTABLE,
	.bca = true,
	.studentised = true };

static bool same(const struct et_boot *a, const struct et_boot *b)
{
	return !memcmp(a, b, sizeof(*a));
}

struct all {
	struct et_boot mean, sd, median, ratio;
};

static struct all everything(struct et_boot_options o)
{
	struct all a;

	et_bootstrap_mean_sd(x, 101, &o, &a.mean, &a.sd);
	et_bootstrap_median(x, 101, &o, &a.median);
	et_bootstrap_ratio(x, 101, y, 60, &o, &a.ratio);
	return a;
}

static void repeatable(void)
{
	struct et_boot_options o = standard;
	struct all first = everything(o), again;

	for (unsigned threads = 0; threads <= 5; threads++) {
		o.threads = threads;
		o.width = threads % 2 ? ET_WIDTH_AUTO : ET_WIDTH_PORTABLE;
		again = everything(o);
		ok(same(&first.mean, &again.mean) && same(&first.sd, &again.sd) &&
				same(&first.median, &again.median) &&
				same(&first.ratio, &again.ratio),
			"repeatable: %u threads, %s SIMD width: the result is the same", threads,
			threads % 2 ? "widest" : "portable");
	}
	o.seed++;
	again = everything(o);
	ok(!same(&first.mean, &again.mean), "repeatable: another seed gives another result");
	et_bootstrap_mean_sd(x, 101, &standard, NULL, &again.sd);
	ok(same(&first.sd, &again.sd), "repeatable: the sd computed alone is the same");
	o = standard;
	o.studentised = false;
	et_bootstrap_mean_sd(x, 101, &o, &again.mean, NULL);
	ok(again.mean.bca.lo == first.mean.bca.lo && isnan(again.mean.t.lo),
		"repeatable: BCa is the same without bootstrap-t, whose interval is NaN");
}

/* Draws medians of resamples by resampling. */
static void resample_medians(size_t n, double *medians, size_t count)
{
	double some[101];
	struct et_rng rng;

	et_rng_seed(&rng, 6, 0);
	for (size_t r = 0; r < count; r++) {
		for (size_t i = 0; i < n; i++)
			some[i] = x[et_rng_below(&rng, n)];
		medians[r] = et_median(some, n);
	}
}

static double spread_of_medians(size_t n)
{
	enum { DRAWS = 20000 };
	ET_AUTO_FREE double *medians = et_alloc(DRAWS * sizeof(*medians));

	resample_medians(n, medians, DRAWS);
	return et_sd(medians, DRAWS);
}

/* With 101 normal values every method must agree with Student's t to a few per cent. */
static void plausible(void)
{
	struct all a = everything(standard);
	double se = et_sd(x, 101) / sqrt(101), half = 1.984 * se, m = et_mean(x, 101);
	const struct et_interval *each[] = { &a.mean.percentile, &a.mean.bca, &a.mean.t };
	static const char *const methods[] = { "percentile", "BCa", "bootstrap-t" };

	for (size_t i = 0; i < ET_LENGTH(each); i++) {
		near(each[i]->lo, m - half, 0, 0.15 * se,
			"mean, %s: the lower bound agrees with Student's t", methods[i]);
		near(each[i]->hi, m + half, 0, 0.15 * se,
			"mean, %s: the upper bound agrees with Student's t", methods[i]);
	}
	near(a.mean.se, se * sqrt(100.0 / 101), 0.02, 0,
		"mean: the standard error agrees with sd / sqrt(n)");
	near(a.mean.bias, 0, 0, 0.03 * se, "mean: the bias is close to 0");
	near(a.sd.se, et_sd(x, 101) / sqrt(202), 0.15, 0,
		"sd: the standard error agrees with that of normal values");
	ok(a.sd.t.lo > a.sd.percentile.lo && a.sd.t.hi > a.sd.percentile.hi,
		"sd: bootstrap-t corrects the downward bias");
	near(a.ratio.estimate, m / et_mean(y, 60), 0, 0,
		"ratio: the estimate is the ratio of the means");
	ok(a.ratio.bca.lo < a.ratio.estimate && a.ratio.estimate < a.ratio.bca.hi &&
			a.ratio.t.lo < a.ratio.estimate && a.ratio.estimate < a.ratio.t.hi,
		"ratio: BCa and bootstrap-t intervals contain the estimate");
	near(a.median.se, spread_of_medians(101), 0.05, 0,
		"median: resampling and its distribution give the same standard error");
	ok(isnan(a.median.t.lo) && a.median.percentile.lo < a.median.estimate &&
			a.median.percentile.hi > a.median.estimate,
		"median: the interval contains the estimate, and there is no bootstrap-t");
}

/* Compares medians drawn from their distribution with medians of resamples, by chi-square. */
static void median_law(size_t n)
{
	enum { DRAWS = 20000 };
	ET_AUTO_FREE double *a = et_alloc(DRAWS * sizeof(*a)), *b = et_alloc(DRAWS * sizeof(*b));
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	struct et_median_law law = et_median_law(sorted, n);
	double chi = 0, cells = 0;

	et_median_draw(&law, 5, 0, a, DRAWS);
	resample_medians(n, b, DRAWS);
	et_median_law_free(&law);
	et_sort(a, DRAWS);
	et_sort(b, DRAWS);
	for (size_t i = 0, j = 0; i < DRAWS;) { /* cells of at least 200 together */
		double count_a = 0, count_b = 0, v;

		while (i < DRAWS && count_a + count_b < 200) {
			for (v = a[i]; i < DRAWS && a[i] == v; i++)
				count_a++;
			for (; j < DRAWS && b[j] <= v; j++)
				count_b++;
		}
		chi += (count_a - count_b) * (count_a - count_b) / (count_a + count_b);
		cells++;
	}
	ok(chi < cells + 4 * sqrt(2 * cells),
		"median of %zu: drawn and resampled agree (chi-square %.1f, %.0f cells)", n, chi,
		cells);
}

static void degenerate(void)
{
	static const double constant[] = { 3, 3, 3 }, two[] = { 1, 2 };
	struct et_boot mean, sd, median, ratio;

	for (size_t n = 0; n <= 1; n++) {
		et_bootstrap_mean_sd(x, n, &standard, &mean, &sd);
		et_bootstrap_median(x, n, &standard, &median);
		ok(isnan(mean.percentile.lo) && isnan(sd.bca.lo) && isnan(median.t.hi),
			"few: %zu values have no interval", n);
	}
	et_bootstrap_mean_sd(constant, 3, &standard, &mean, &sd);
	et_bootstrap_median(constant, 3, &standard, &median);
	ok(mean.estimate == 3 && isnan(mean.percentile.lo) && isnan(median.percentile.lo),
		"constant: equal values have an estimate and no interval");
	et_bootstrap_ratio(constant, 3, constant, 3, &standard, &ratio);
	ok(ratio.estimate == 1 && isnan(ratio.t.lo),
		"constant: the ratio of two constants has no interval");
	et_bootstrap_ratio(x, 101, constant, 3, &standard, &ratio);
	near(ratio.bca.lo, everything(standard).mean.bca.lo / 3, 1e-2, 0,
		"constant: the interval of a ratio to 3 is a third of the mean's");
	et_bootstrap_mean_sd(two, 2, &standard, &mean, &sd);
	ok(mean.percentile.lo == 1 && mean.percentile.hi == 2,
		"few: the interval of the mean of two values is their range");
	ok(isnan(sd.bca.lo),
		"few: the sd of two values has no acceleration, and so no BCa interval");
	et_bootstrap_median(two, 2, &standard, &median);
	ok(median.percentile.lo == 1 && median.percentile.hi == 2,
		"few: the interval of the median of two values is their range");
}

int main(void)
{
	struct et_rng rng;

	et_rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < 101; i++)
		x[i] = 10 + et_rng_normal(&rng);
	for (size_t i = 0; i < 60; i++)
		y[i] = 9 + et_rng_normal(&rng);
	repeatable();
	plausible();
	median_law(7);
	median_law(8);
	median_law(2);
	median_law(30);
	median_law(101);
	median_law(100);
	degenerate();
	return tap_done();
}
