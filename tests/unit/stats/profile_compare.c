/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two profiles compared: pairs of runs, Holm over the functions, functions of two builds. The
 * expected numbers are those of a computation in Python from the definitions.
 */
#include "num/rng.h"
#include "profile_of.h"
#include "stats/profile/profile.h"
#include "tap.h"

#include <math.h>

enum { RUNS = 10 };

static const uint64_t f_a[RUNS] = { 48, 52, 50, 47, 55, 51, 49, 53, 46, 54 };
static const uint64_t f_b[RUNS] = { 57, 60, 61, 55, 62, 63, 58, 60, 57, 64 };
static const uint64_t g_a[RUNS] = { 12, 9, 11, 14, 10, 8, 13, 12, 9, 11 };
static const uint64_t g_b[RUNS] = { 11, 10, 12, 12, 11, 9, 12, 13, 8, 11 };

static uint32_t node(struct et_experiment *e, const char *name, const char *module)
{
	return et_profile_node_of(e->profile, ET_PROFILE_ROOT,
		et_profile_function_of(e->profile, name, module, ET_SPACE_USER, false));
}

/* Two builds of a program with f and g, and a rare function that is in the first one only. */
static struct et_experiment *two_builds(void)
{
	struct et_experiment *e = profile_of(2);

	for (uint32_t i = 0; i < RUNS; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, node(e, "f", "/old/p"), f_a[i], 0);
		et_profile_run_add(&run, node(e, "g", "/lib/q"), g_a[i], 0);
		if (i == 3)
			et_profile_run_add(&run, node(e, "rare", "/old/p"), 2, 0);
		profile_add(e, 0, i + 1, &run);
		et_profile_run_add(&run, node(e, "f", "/new/p"), f_b[i], 0);
		et_profile_run_add(&run, node(e, "g", "/lib/q"), g_b[i], 0);
		profile_add(e, 1, i + 1, &run);
	}
	return e;
}

static void test_pairs(void)
{
	struct et_experiment *e = two_builds();
	struct et_profile_comparison c;
	et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
	const struct et_profile_change *f = &c.rows[0], *g = &c.rows[1], *rare = &c.rows[2];

	ok(c.n_rows == 3 && c.family == 2 && c.too_rare == 1,
		"pairs: two functions are tested, and one is too rare");
	near(c.level, 0.975, 1e-14, 0, "pairs: the level of each interval by Bonferroni");
	is_str(f->name, "f", "pairs: the function that changed is first");
	is_str(f->module, "/old/p", "pairs: the file is that of the first command");
	ok(f->function != f->function_b, "pairs: one name in two files is one function");
	near(f->mean_a, 50.5, 1e-14, 0, "pairs: the mean of the first command");
	near(f->mean_b, 59.7, 1e-14, 0, "pairs: the mean of the second command");
	near(f->difference, 9.2, 1e-13, 0, "pairs: the difference");
	near(f->interval.lo, 9.2 - 1.486891678157294, 1e-9, 0, "pairs: its interval, low");
	near(f->interval.hi, 9.2 + 1.486891678157294, 1e-9, 0, "pairs: its interval, high");
	is_str(f->contrast.method, "paired-t", "pairs: the test is that of pairs");
	near(f->contrast.statistic, 16.61324772583615, 1e-12, 0, "pairs: the statistic");
	near(f->contrast.p, 4.6318780490796514e-08, 1e-8, 0, "pairs: its p");
	near(f->contrast.p_holm, 2 * 4.6318780490796514e-08, 1e-8, 0, "pairs: adjusted by Holm");
	near(f->contrast.ratio, 59.7 / 50.5, 1e-12, 0, "pairs: the ratio of the means");
	near(f->contrast.lo, 1.1492535607161802, 1e-9, 0, "pairs: Fieller's interval, low");
	near(f->contrast.hi, 1.21712020325086, 1e-9, 0, "pairs: Fieller's interval, high");
	ok(f->contrast.significant && f->contrast.conclusion == ET_CONCLUDED_SLOWER &&
			f->contrast.pairs == RUNS && f->contrast.family == 2,
		"pairs: the function takes longer");
	ok(!g->contrast.significant && g->contrast.conclusion == ET_CONCLUDED_SAME &&
			g->interval.lo < 0 && g->interval.hi > 0,
		"pairs: the other function did not change");
	is_str(rare->name, "rare", "pairs: rare functions are last");
	ok(isnan(rare->contrast.p) && isnan(rare->interval.lo) && !rare->contrast.family &&
			rare->mean_b == 0 && !rare->contrast.significant,
		"pairs: a rare function has means and no verdict");
	near(c.total.mean_a, 61.6, 1e-14, 0, "pairs: all samples of the first command");
	ok(c.total.contrast.significant && c.total.contrast.family == 1 && !c.warnings.n,
		"pairs: all samples together are one more comparison");
	et_profile_comparison_free(&c);
	et_experiment_free(e);
}

static void test_apart(void)
{
	struct et_experiment *e = two_builds();
	struct et_profile_comparison c;

	e->plan.order = ET_ORDER_SEQUENTIAL;
	et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
	is_str(c.rows[0].contrast.method, "student", "apart: two series are compared");
	ok(c.rows[0].contrast.significant && c.rows[0].contrast.pairs == 0 &&
			c.rows[0].interval.lo > 0 && c.rows[0].interval.hi < 14,
		"apart: the change is found");
	ok(et_warnings_have(&c.warnings, ET_WARN_SEQUENTIAL_ORDER), "apart: a warning says so");
	et_profile_comparison_free(&c);
	e->plan.order = ET_ORDER_RANDOM;
	e->profile->way = ET_PROFILE_IMPORTED;
	et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
	ok(c.rows[0].contrast.pairs == 0 && c.rows[0].contrast.significant && !c.warnings.n,
		"apart: files of other profilers have no rounds");
	et_profile_comparison_free(&c);
	et_experiment_free(e);
}

/* Each of the ten pairs has the samples of one function of the list in a or b. */
static struct et_experiment *lone_functions(
	const char *const *in_a, const char *const *in_b, bool unnamed)
{
	struct et_experiment *e = profile_of(2);

	for (uint32_t i = 0; i < RUNS; i++) {
		struct et_profile_run run = profile_run();
		for (size_t k = 0; in_a[k]; k += 2)
			et_profile_run_add(&run, node(e, in_a[k], in_a[k + 1]), f_a[i], 0);
		profile_add(e, 0, i + 1, &run);
		for (size_t k = 0; in_b[k]; k += 2)
			et_profile_run_add(&run, node(e, in_b[k], in_b[k + 1]), f_b[i], 0);
		profile_add(e, 1, i + 1, &run);
	}
	for (size_t i = 0; i < e->profile->n_functions; i++)
		e->profile->functions[i].unnamed = unnamed;
	return e;
}

static size_t matched(const char *const *in_a, const char *const *in_b, bool unnamed)
{
	struct et_experiment *e = lone_functions(in_a, in_b, unnamed);
	struct et_profile_comparison c;
	size_t n = 0;

	et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
	for (size_t i = 0; i < c.n_rows; i++)
		n += c.rows[i].mean_a > 0 && c.rows[i].mean_b > 0;
	et_profile_comparison_free(&c);
	et_experiment_free(e);
	return n;
}

static void test_matching(void)
{
	static const char *const old[] = { "f", "/old/p", NULL }, *const new[] = { "f", "/new/p",
		NULL };
	static const char *const twice[] = { "f", "/new/p", "f", "/new/lib", NULL };
	static const char *const other[] = { "g", "/old/p", NULL };

	ok(matched(old, new, false) == 1, "matching: by name in another file");
	ok(matched(old, new, true) == 0, "matching: an offset in a file is no name");
	ok(matched(old, twice, false) == 0, "matching: an ambiguous name is not matched");
	ok(matched(old, other, false) == 0, "matching: another name is another function");
	ok(matched(old, old, true) == 1, "matching: the same function in the same file");
}

static void test_new_function(void)
{
	static const char *const none[] = { "f", "/p", NULL };
	static const char *const more[] = { "f", "/p", "new", "/p", NULL };
	struct et_experiment *e = lone_functions(none, more, false);
	struct et_profile_comparison c;

	et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
	is_str(c.rows[0].name, "new", "new: a function that only the second command has");
	ok(c.rows[0].contrast.significant && c.rows[0].mean_a == 0 &&
			isnan(c.rows[0].contrast.ratio) &&
			c.rows[0].contrast.conclusion == ET_CONCLUDED_LARGER,
		"new: it has no ratio, but it is larger");
	et_profile_comparison_free(&c);
	et_experiment_free(e);
}

static void test_nothing(void)
{
	struct et_experiment *e = profile_of(2);
	struct et_profile_comparison c;

	et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
	ok(c.n_rows == 0 && c.family == 0 && !c.total.contrast.significant,
		"nothing: profiles without a run have no changes");
	et_profile_comparison_free(&c);
	et_experiment_free(e);
}

/* Counts that depend on those of the run before, by phi, and change by the factor. */
static struct et_experiment *simulated(struct et_rng *rng, double phi, double factor, bool apart)
{
	enum { PAIRS = 24, FUNCTIONS = 4 };
	struct et_experiment *e = profile_of(2);
	double slow = 0;

	if (apart)
		e->plan.order = ET_ORDER_SEQUENTIAL;
	for (uint32_t i = 0; i < PAIRS; i++) {
		slow = phi * slow + 3 * et_rng_normal(rng);
		for (uint32_t c = 0; c < 2; c++) {
			struct et_profile_run run = profile_run();
			for (int k = 0; k < FUNCTIONS; k++) {
				double mean = (30 + (c ? slow : 0)) * (c && k < 2 ? factor : 1);
				/* Some runs have many more: by ranks the verdict would differ. */
				double far = et_rng_uniform(rng) < 0.1 ? 15 : 0;
				char name[] = { (char)('a' + k), 0 };
				et_profile_run_add(&run, node(e, name, "/p"),
					(uint64_t)fmax(1, mean + far + 2 * et_rng_normal(rng)), 0);
			}
			profile_add(e, c, i + 1, &run);
		}
	}
	return e;
}

static bool excludes_zero(const struct et_profile_change *row)
{
	return row->interval.lo >= 0 || row->interval.hi <= 0;
}

/* An interval with 0 beside it is a change, and a change has such an interval. */
static void test_agreement(void)
{
	enum { TIMES = 300 };
	size_t differ = 0, found = 0, not_found = 0;
	struct et_rng rng;

	et_rng_seed(&rng, 7, 0);
	for (int i = 0; i < TIMES; i++) {
		double phi = i % 3 * 0.4, factor = 1 + 0.02 * (i % 10);
		struct et_experiment *e = simulated(&rng, phi, factor, i % 2);
		struct et_profile_comparison c;
		et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
		for (size_t k = 0; k <= c.n_rows; k++) {
			const struct et_profile_change *row = k < c.n_rows ? &c.rows[k] : &c.total;
			differ += excludes_zero(row) != row->contrast.significant;
			found += row->contrast.significant;
			not_found += !row->contrast.significant;
		}
		et_profile_comparison_free(&c);
		et_experiment_free(e);
	}
	ok(differ == 0, "agreement: intervals and verdicts contradict each other in %zu rows",
		differ);
	ok(found > TIMES / 2 && not_found > TIMES / 2,
		"agreement: there are changes (%zu) and others (%zu)", found, not_found);
}

int main(void)
{
	test_pairs();
	test_apart();
	test_matching();
	test_new_function();
	test_nothing();
	test_agreement();
	return tap_done();
}
