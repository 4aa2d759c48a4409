/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bootstrap results are random: they may differ by the Monte Carlo error of a million replicates,
 * as stated in tests/oracle/tolerances.json ("mcse_of").
 */
#include "oracle_answers.h"

#include "base/base.h"
#include "num/quantile.h"
#include "num/student.h"
#include "stats/series/bootstrap.h"

#include <math.h>
#include <string.h>

enum { REPLICATES = 1000000 };

static double wanted(const json_t *expect, const char *key, int i)
{
	const json_t *v = json_object_get(expect, key);

	return json_number_value(json_is_array(v) ? json_array_get(v, (size_t)i) : v);
}

/* Both bounds of got must be within k times the figures under `unit`. */
static void judge(struct answers *to, const json_t *expect, const char *key,
	const struct et_interval *got, const char *unit, double k)
{
	put_judged(to,
		fabs(got->lo - wanted(expect, key, 0)) <= k * wanted(expect, unit, 0) &&
			fabs(got->hi - wanted(expect, key, 1)) <= k * wanted(expect, unit, 1),
		key);
}

static void judge_number(
	struct answers *to, const json_t *expect, const char *key, double got, double within)
{
	put_judged(to, fabs(got - wanted(expect, key, 0)) <= within, key);
}

/* Returns P(the k-th smallest of n draws has rank j or less). */
static double rank_law(size_t n, size_t k, size_t j)
{
	return j ? et_pbeta((double)j / (double)n, (double)k, (double)(n - k + 1)) : 0;
}

/* Returns P(lower middle draw has rank i, upper middle one rank j) for n even, i < j. */
static double joint_law(size_t n, size_t i, size_t j)
{
	double size = (double)n, k = size / 2, a = (double)i, b = (double)(n - j + 1);

	return exp(et_lchoose(size, k)) * (pow(a / size, k) - pow((a - 1) / size, k)) *
	       (pow(b / size, k) - pow((b - 1) / size, k));
}

/* Returns P(median of a resample < v), or <= v. */
static double median_law(const double *sorted, size_t n, double v, bool or_equal)
{
	size_t k = (n + 1) / 2;
	double sum = 0;

	for (size_t i = 1; i <= n; i++) {
		double here = rank_law(n, k, i) - rank_law(n, k, i - 1);

		for (size_t j = i + 1; n % 2 == 0 && j <= n; j++) {
			double median = (sorted[i - 1] + sorted[j - 1]) / 2, p = joint_law(n, i, j);

			here -= p;
			sum += median < v || (or_equal && median == v) ? p : 0;
		}
		sum += sorted[i - 1] < v || (or_equal && sorted[i - 1] == v) ? here : 0;
	}
	return sum;
}

/* True if the median can be v, and v is its quantile at p within the Monte Carlo error. */
static bool is_median_quantile(const double *sorted, size_t n, double v, double p)
{
	double noise = 5 * sqrt(p * (1 - p) / REPLICATES);
	double below = median_law(sorted, n, v, false), upto = median_law(sorted, n, v, true);

	return upto > below && below <= p + noise && upto >= p - noise;
}

void answer_bootstrap(const json_t *input, const json_t *expect, struct answers *to)
{
	struct et_boot_options o = { .seed = 20,
		.replicates = REPLICATES,
		.level = 0.95,
		.threads = 2,
		.bca = true,
		.studentised = true };
	size_t n;
	ET_AUTO_FREE double *x = numbers(json_object_get(input, "x"), &n);
	struct et_boot mean, sd, median;
	double se = wanted(expect, "ideal_se_mean", 0);

	et_bootstrap_mean_sd(x, n, &o, &mean, &sd);
	o.studentised = false;
	et_bootstrap_median(x, n, &o, &median);
	put(to, mean.estimate, "mean");
	put(to, sd.estimate, "sd");
	put(to, median.estimate, "median");
	put(to, mean.acceleration, "accel_mean");
	put(to, sd.acceleration, "accel_sd");
	put(to, REPLICATES, "mc_B");
	judge_number(to, expect, "ideal_se_mean", mean.se, 0.005 * se);
	judge_number(to, expect, "mc_boot_se_sd", sd.se, 0.01 * wanted(expect, "mc_boot_se_sd", 0));
	/* The limit is 5 standard errors of a quantile near the middle. */
	judge_number(to, expect, "ideal_z0_mean", mean.z0, 5 * 1.3e-3);
	judge(to, expect, "ideal_perc95_mean", &mean.percentile, "ideal_se_mean", 0.015);
	judge(to, expect, "ideal_bca95_mean", &mean.bca, "ideal_se_mean", 0.03);
	judge(to, expect, "mc_boot_t95_mean", &mean.t, "ideal_se_mean", 0.06);
	judge(to, expect, "mc_perc95_sd", &sd.percentile, "mcse_perc95_sd", 7);
	judge(to, expect, "mc_bca95_sd", &sd.bca, "mcse_bca95_sd", 10);
	et_sort(x, n);
	put_judged(to,
		is_median_quantile(x, n, median.percentile.lo, 0.025) &&
			is_median_quantile(x, n, median.percentile.hi, 0.975) &&
			is_median_quantile(x, n, wanted(expect, "ideal_perc95_median", 0), 0.025) &&
			is_median_quantile(x, n, wanted(expect, "ideal_perc95_median", 1), 0.975),
		"ideal_perc95_median");
}
