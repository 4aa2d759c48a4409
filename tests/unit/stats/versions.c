/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals and comparisons of the versions of EMP. The expected figures come from a Python script
 * that has its own chi-square quantile and goes through all exchanges of the runs.
 */
#include "stats/fleet/versions.h"
#include "base/base.h"
#include "num/moments.h"
#include "tap.h"

#include <math.h>

enum { N = 10 };

static const double slow_once[N] = { 100, 101, 99, 102, 98, 100, 103, 97, 100, 120 };
static const double even[N] = { 100, 104, 95, 107, 98, 101, 93, 109, 97, 99 };

static struct et_precision precision(const double *x, size_t n)
{
	double mean = et_mean(x, n), sd = et_sd(x, n);

	return (struct et_precision){ .n = n,
		.mean = mean,
		.sd = sd,
		.relative_error = sd / mean,
		.skewness = et_skewness(x, n),
		.kurtosis = et_kurtosis(x, n) };
}

static void set(struct et_versions *v, size_t task, enum et_version version, enum et_lab_env env,
	const double *x, size_t n)
{
	static const enum et_metric metrics[] = { ET_METRIC_ELAPSED, ET_METRIC_CPU };
	struct et_version_figures *f = &v->tasks[task].list[version];

	f->runs = n;
	f->env = env;
	for (size_t m = 0; m < ET_LENGTH(metrics); m++) {
		struct et_version_runs *r = &f->compared[metrics[m]];
		f->by[metrics[m]] = precision(x, n);
		*r = (struct et_version_runs){ et_calloc(n, sizeof(*x)), n };
		for (size_t i = 0; i < n; i++)
			r->x[i] = x[i];
	}
}

static struct et_versions make(size_t tasks)
{
	struct et_versions v = { .tasks = et_calloc(tasks, sizeof(*v.tasks)), .n = tasks };

	for (size_t i = 0; i < tasks; i++) {
		v.tasks[i].name = et_asprintf("INC%zu", i + 1);
		v.tasks[i].seconds = (double)i + 1;
	}
	return v;
}

static const struct et_version_pair *pair_of(
	const struct et_versions *v, enum et_version a, enum et_version b)
{
	static const struct et_version_pair none = { .ratio = NAN, .p = NAN, .p_holm = NAN };

	for (size_t i = 0; i < v->n_pairs[ET_METRIC_CPU]; i++) {
		const struct et_version_pair *p = &v->pairs[ET_METRIC_CPU][i];
		if (p->a == a && p->b == b)
			return p;
	}
	return &none;
}

static void test_intervals(void)
{
	struct et_versions v = make(2);
	struct et_precision p = precision(slow_once, N), few = precision(even, 1);

	near(et_sd_df(&p), 3.193584244969306, 1e-12, 0, "df: a slow run leaves 3.2 of 9");
	near(et_relative_error_df(&p), 3.519040665604181, 1e-12, 0,
		"df: skewness leaves more for the relative error");
	p = precision(even, N);
	near(et_sd_df(&p), 9, 1e-12, 0, "df: light tails give no more than n - 1");
	ok(isnan(et_sd_df(&few)) && isnan(et_relative_error_df(&few)), "df: one run has none");

	set(&v, 0, ET_AS_IS, ET_ENV_AS_IS, slow_once, N);
	set(&v, 1, ET_AS_IS, ET_ENV_AS_IS, even, N);
	et_versions_compare(&v);
	const struct et_version_limits *l = &v.tasks[0].list[ET_AS_IS].limits[ET_METRIC_CPU];
	near(l->sd_lo, 3.7661819065303104, 1e-9, 0, "slow run: lower end of the sd");
	near(l->sd_hi, 22.98651194570992, 1e-9, 0, "slow run: upper end of the sd");
	near(l->error_lo, 0.037632923074821065, 1e-9, 0, "slow run: lower end of sd / mean");
	near(l->error_hi, 0.20587870390807794, 1e-9, 0, "slow run: upper end of sd / mean");
	l = &v.tasks[1].list[ET_AS_IS].limits[ET_METRIC_ELAPSED];
	near(l->sd_lo, 3.5080344812021504, 1e-9, 0, "light tails: lower end of the sd");
	near(l->sd_hi, 9.31081079693763, 1e-9, 0, "light tails: upper end of the sd");
	struct et_best_version best = et_versions_best(&v, ET_METRIC_CPU);
	near(best.own.relative_error, 0.05761008165076097, 1e-9, 0, "average: over two lengths");
	near(best.own.lo, 0.03966818595859767, 1e-9, 0, "average: lower end");
	near(best.own.hi, 0.10488756316874429, 1e-9, 0, "average: upper end");
	ok(best.compared == 0 && best.beaten == 0, "a single version is compared with none");
	et_versions_free(&v);
}

/* Five runs each: 30 of the 252 exchanges are as far apart. 1999 of them are drawn: ± 3.3 sd. */
static void test_exchange(void)
{
	static const double a[] = { 100, 101, 99, 102, 98 }, b[] = { 200, 230, 196, 178, 214 };
	struct et_versions v = make(1);

	set(&v, 0, ET_EMP_V1, ET_ENV_V1, a, 5);
	set(&v, 0, ET_AS_IS, ET_ENV_AS_IS, b, 5);
	et_versions_compare(&v);
	const struct et_version_pair *p = pair_of(&v, ET_EMP_V1, ET_AS_IS);
	ok(v.n_pairs[ET_METRIC_CPU] == 1 && v.n_pairs[ET_METRIC_ELAPSED] == 1,
		"exchange: one pair of each time");
	near(p->ratio, 0.16453633278606772, 1e-9, 0, "exchange: the ratio of relative errors");
	near(p->p, 30 / 252.0, 0, 0.024, "exchange: p is the share of exchanges as far apart");
	ok(p->p_holm == p->p, "exchange: one pair needs no correction");
	double first = p->p;
	et_versions_compare(&v);
	ok(pair_of(&v, ET_EMP_V1, ET_AS_IS)->p == first, "exchange: p is the same every time");
	et_versions_free(&v);
}

/* Runs 8 and 10 are removed: 1 of the 45 choices of two runs makes the spread as small. */
static void test_part(void)
{
	static const double some[] = { 100, 101, 99, 102, 98, 100, 103, 100 };
	struct et_versions v = make(1);

	set(&v, 0, ET_AS_IS, ET_ENV_AS_IS, slow_once, N);
	set(&v, 0, ET_AS_IS_BOTH, ET_ENV_AS_IS, slow_once, N); /* nothing was removed */
	set(&v, 0, ET_OURS, ET_ENV_AS_IS, some, 8);
	et_versions_compare(&v);
	const struct et_version_pair *p = pair_of(&v, ET_AS_IS, ET_OURS);
	near(p->ratio, 1 / 0.24731702325657912, 1e-9, 0, "part: the ratio of relative errors");
	near(p->p, 1 / 45.0, 0, 0.011, "part: p is the share of choices that are as good");
	ok(p->p_holm == p->p, "part: versions with the same runs count once");
	const struct et_version_pair *twin = pair_of(&v, ET_AS_IS_BOTH, ET_OURS);
	ok(twin->p == p->p && twin->ratio == p->ratio, "part: they share the comparison");
	ok(isnan(pair_of(&v, ET_AS_IS, ET_AS_IS_BOTH)->p), "part: they are not compared");
	struct et_best_version best = et_versions_best(&v, ET_METRIC_CPU);
	ok(best.version == ET_OURS && best.compared == 2 && best.beaten == 2 &&
			best.is_beaten[ET_AS_IS] && best.is_beaten[ET_AS_IS_BOTH],
		"part: ours is shown to be better than both");
	et_versions_free(&v);
}

/* Which of several versions takes part, and what three pairs cost. */
static void test_family(void)
{
	double tight[4 * N], wide[4 * N];
	struct et_versions v = make(1);

	for (size_t i = 0; i < 4 * N; i++) {
		tight[i] = 1000 + (slow_once[i % 9] - 100);
		wide[i] = 1000 + 20 * (even[i % N] - 100);
	}
	set(&v, 0, ET_EMP_V1, ET_ENV_V1, wide, 4 * N);
	set(&v, 0, ET_EMP_V2, ET_ENV_V2, wide, 4 * N);
	set(&v, 0, ET_EMP_V3, ET_ENV_V3, tight, 4 * N);
	set(&v, 0, ET_EMP_V4, ET_ENV_V3, tight, 4 * N);
	set(&v, 0, ET_AS_IS, ET_ENV_AS_IS, wide, 4 * N);
	v.same_as[ET_EMP_V1].known = true;
	v.same_as[ET_EMP_V1].version = ET_AS_IS;
	et_versions_compare(&v);
	ok(isnan(pair_of(&v, ET_EMP_V1, ET_EMP_V3)->p),
		"family: a version with the environment of another takes no part");
	const struct et_version_pair *p = pair_of(&v, ET_EMP_V3, ET_AS_IS);
	near(p->p, 1 / 2000.0, 0, 1e-12, "family: p is never below 1/2000");
	near(p->p_holm, 3 / 2000.0, 0, 1e-12, "family: Holm multiplies the smallest by the pairs");
	ok(pair_of(&v, ET_EMP_V2, ET_AS_IS)->p_holm > 0.5,
		"family: the same times in two environments show no difference");
	struct et_best_version best = et_versions_best(&v, ET_METRIC_CPU);
	ok(best.version == ET_EMP_V3 && best.compared == 2 && best.beaten == 2,
		"family: v3 is shown to be better than v2 and as is");
	ok(pair_of(&v, ET_EMP_V2, ET_EMP_V4)->p_holm <= 0.05 &&
			pair_of(&v, ET_EMP_V2, ET_EMP_V4)->ratio > 1,
		"family: and so is v4, whose runs are the same");
	et_versions_free(&v);
}

static void test_few(void)
{
	static const double one[] = { 5 }, equal[] = { 5, 5, 5, 5 };
	struct et_versions v = make(1);

	set(&v, 0, ET_EMP_V1, ET_ENV_V1, one, 1);
	set(&v, 0, ET_AS_IS, ET_ENV_AS_IS, even, N);
	set(&v, 0, ET_EMP_V2, ET_ENV_V2, equal, 4);
	et_versions_compare(&v);
	ok(isnan(v.tasks[0].list[ET_EMP_V1].limits[ET_METRIC_CPU].sd_lo),
		"few: one run has no interval");
	const struct et_version_pair *p = pair_of(&v, ET_EMP_V2, ET_AS_IS);
	ok(p->p >= 1 / 2000.0 && p->p <= 1 && p->ratio < 1e-6, "few: equal times can be compared");
	et_versions_free(&v);
	v = make(0);
	et_versions_compare(&v);
	ok(v.n_pairs[ET_METRIC_CPU] == 0, "few: no task gives no pairs");
	et_versions_free(&v);
}

int main(void)
{
	test_intervals();
	test_exchange();
	test_part();
	test_family();
	test_few();
	return tap_done();
}
