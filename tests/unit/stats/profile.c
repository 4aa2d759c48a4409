/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles: figures per function and module, simultaneous levels, time on the stack. The expected
 * numbers are those of a computation in Python from the definitions, unless another source is
 * given.
 */
#include "stats/profile/profile.h"
#include "num/student.h"
#include "profile_of.h"
#include "tap.h"

enum { RUNS = 10 };

static const uint64_t counts_f[RUNS] = { 48, 52, 50, 47, 55, 51, 49, 53, 46, 54 };
static const uint64_t counts_g[RUNS] = { 12, 9, 11, 14, 10, 8, 13, 12, 9, 11 };
static const uint64_t counts_h[RUNS] = { 0, 0, 1, 0, 0, 0, 2, 0, 0, 0 };

static uint32_t function(struct et_experiment *e, const char *name, const char *module)
{
	return et_profile_function_of(e->profile, name, module, ET_SPACE_USER, false);
}

static uint32_t node(struct et_experiment *e, uint32_t parent, const char *name, const char *module)
{
	return et_profile_node_of(e->profile, parent, function(e, name, module));
}

/* Functions f and h in /bin/p and g in /lib/q, without call chains. */
static struct et_experiment *three_functions(void)
{
	struct et_experiment *e = profile_of(1);
	uint32_t h = node(e, ET_PROFILE_ROOT, "h", "/bin/p");
	uint32_t g = node(e, ET_PROFILE_ROOT, "g", "/lib/q");
	uint32_t f = node(e, ET_PROFILE_ROOT, "f", "/bin/p");

	for (int i = 0; i < RUNS; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, f, counts_f[i], counts_f[i] / 10);
		et_profile_run_add(&run, g, counts_g[i], 0);
		if (counts_h[i])
			et_profile_run_add(&run, h, counts_h[i], 0);
		profile_add(e, 0, (uint32_t)i + 1, &run);
	}
	return e;
}

static struct et_profile_result judge(const struct et_experiment *e, enum et_profile_by by,
	size_t statements, uint32_t replicates)
{
	struct et_profile_options o = {
		.by = by, .statements = statements, .replicates = replicates, .seed = 7
	};
	struct et_profile_result r;

	et_profile_judge(e, 0, &o, &r);
	return r;
}

/* gprof samples by a clock, too: its event is the name of the instrument. */
static void test_gprof(void)
{
	struct et_experiment *e = three_functions();

	snprintf(e->profile->event, sizeof(e->profile->event), "gprof");
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 0);
	near(r.period_ns, 1e6, 0, 0, "profile: a sample of gprof stands for its period");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_whole(void)
{
	struct et_experiment *e = three_functions();
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 0);

	ok(r.runs == RUNS && r.invalid == 0 && r.n_rows == 3 && r.samples == 617,
		"profile: ten runs with three functions count");
	near(r.total.mean, 61.7, 1e-14, 0, "profile: the mean of the totals");
	near(r.total.sd, 3.2335051500740732, 1e-13, 0, "profile: the sd of the totals");
	near(r.period_ns, 1e6, 0, 0, "profile: a sample stands for the period of the clock");
	ok(r.statements == 3, "profile: by default there are as many statements as rows");
	near(r.row_level, 0.9830475724915585, 1e-14, 0, "profile: the level of a row by Šidák");
	near(r.coverage_factor, 2.9228719029093773, 1e-10, 0, "profile: Student's t at that level");
	is_str(r.rows[0].name, "f", "profile: rows descend by share, first");
	is_str(r.rows[2].name, "h", "profile: rows descend by share, last");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_common_row(void)
{
	struct et_experiment *e = three_functions();
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 0);
	const struct et_profile_row *f = &r.rows[0], *g = &r.rows[1];

	near(f->mean, 50.5, 1e-14, 0, "row: mean count");
	near(f->sd, 3.0276503540974917, 1e-13, 0, "row: standard deviation");
	near(f->standard_uncertainty, 0.9574271077563381, 1e-13, 0, "row: Type A uncertainty");
	near(f->coverage_factor, r.coverage_factor, 1e-12, 0, "row: the coverage factor is t");
	near(f->expanded_uncertainty, 2.7984367923447895, 1e-10, 0, "row: expanded uncertainty");
	near(f->interval.lo, 50.5 - 2.7984367923447895, 1e-10, 0, "row: lower end of the mean");
	near(f->interval.hi, 50.5 + 2.7984367923447895, 1e-10, 0, "row: upper end of the mean");
	is_str(f->interval_method, "student-t", "row: the interval is Student's");
	near(f->share, 0.8188105540907703, 1e-13, 0, "row: share is the mean of the runs' shares");
	near(f->share_interval.hi - f->share, 0.03510960403182064, 1e-9, 0,
		"row: the interval of the share, widened by its skewness");
	near(f->pooled_share, 0.8184764991896273, 1e-13, 0, "row: share of the pooled samples");
	near(f->robust_sd, 3.3358042994810972, 1e-13, 0, "row: interquartile range over 1.349");
	near(f->sd_chi2.lo, 2.0825245072743224, 1e-9, 0, "row: chi-square interval of the sd, low");
	near(f->sd_chi2.hi, 5.527309315549374, 1e-9, 0, "row: chi-square interval of the sd, high");
	near(f->at_entry, 46.0 / 505, 1e-14, 0, "row: share of samples at the first instruction");
	ok(f->seen_in_runs == RUNS && f->samples == 505, "row: seen in all runs");
	ok(f->total_mean == f->mean && f->total_share == f->share &&
			f->total_interval.lo == f->interval.lo,
		"row: without call chains, time on the stack is self time");
	near(g->share, 0.17645154268342328, 1e-13, 0, "row: share of the second function");
	near(g->expanded_uncertainty, 1.7672031490178735, 1e-10, 0,
		"row: expanded uncertainty of the second function");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_rare_row(void)
{
	struct et_experiment *e = three_functions();
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 99);
	const struct et_profile_row *h = &r.rows[2];

	near(h->mean, 0.3, 1e-14, 0, "rare: runs that did not see a function count 0");
	near(h->sd, 0.6749485577105528, 1e-13, 0, "rare: so does the standard deviation");
	ok(h->seen_in_runs == 2, "rare: seen in two runs");
	ok(h->interval.lo == 0 && h->share_interval.lo == 0, "rare: no interval is below 0");
	near(h->interval.hi, 0.3 + 1.0870376740106722, 1e-9, 0,
		"rare: skewness widens the interval of the mean");
	near(h->share_interval.hi, 0.004737903225806452 + 0.01697265218667248, 1e-9, 0,
		"rare: skewness widens the interval of the share");
	is_str(h->interval_method, "student-t-widened", "rare: the method says so");
	ok(!h->fit.tested && isnan(h->sd_bca.lo) && isnan(h->mean_percentile.lo),
		"rare: no model is tested, and nothing is resampled");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_models(void)
{
	struct et_experiment *e = three_functions();
	et_profile_set_calls(e->profile, 0, function(e, "f", "/bin/p"), 4);
	et_profile_set_calls(e->profile, 0, function(e, "g", "/lib/q"), 80);
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 0);
	const struct et_profile_row *f = &r.rows[0], *g = &r.rows[1];

	near(f->predicted.gprof, 7.106335201775948, 1e-13, 0, "models: gprof's root of the count");
	near(f->predicted.multinomial, 3.0276949633217387, 1e-13, 0, "models: multinomial");
	near(f->predicted.with_total, 4.021337212510612, 1e-13, 0,
		"models: multinomial and the spread of the total");
	near(f->predicted.quantisation, 0.9682458365518543, 1e-12, 0,
		"models: quantisation of calls longer than a period");
	near(g->predicted.quantisation, 3.068366829438749, 1e-12, 0,
		"models: quantisation of calls shorter than a period");
	near(g->predicted.multinomial, 2.9957289964917377, 1e-13, 0,
		"models: multinomial of the second function");
	ok(f->fit.tested && f->fit.multinomial && f->fit.with_total && !f->fit.gprof &&
			!f->fit.quantisation,
		"models: the sd of f is that of the multinomial, with and without the total");
	ok(g->fit.tested && g->fit.gprof && g->fit.multinomial && g->fit.quantisation,
		"models: the sd of g agrees with all");
	ok(r.models.tested == 2 && r.models.gprof == 1 && r.models.multinomial == 2 &&
			r.models.with_total == 2 && r.models.quantisation == 1 &&
			r.models.quantisation_tested == 2,
		"models: the verdict counts the rows");
	ok(isnan(r.rows[2].predicted.quantisation) && isnan(r.rows[2].calls),
		"models: without call counts there is no quantisation");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_modules(void)
{
	struct et_experiment *e = three_functions();
	struct et_profile_result r = judge(e, ET_BY_MODULE, 0, 0);

	ok(r.n_rows == 2 && !r.rows[0].name, "modules: two rows without the name of a function");
	is_str(r.rows[0].module, "/bin/p", "modules: the largest first");
	near(r.rows[0].mean, 50.8, 1e-14, 0, "modules: functions of one file are added up");
	near(r.rows[0].share + r.rows[1].share, 1, 1e-14, 0, "modules: shares add up to 1");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static const struct et_profile_row *row_of(const struct et_profile_result *r, const char *name)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		if (!strcmp(r->rows[i].name, name))
			return &r->rows[i];
	}
	tap_bail("there is no such row");
}

/* qt(0.975, 4) of R is 2.776445. */
static void test_halves(void)
{
	struct et_experiment *e = three_functions();
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 1, 0);
	const struct et_profile_half *f = row_of(&r, "f")->halves, *h = row_of(&r, "h")->halves;

	near(f[0].mean, 50.4, 1e-14, 0, "halves: mean of the first");
	near(f[0].interval.hi, 54.384948392, 1e-8, 0, "halves: its interval");
	near(f[1].mean, 50.6, 1e-14, 0, "halves: mean of the second");
	near(f[1].interval.lo, 46.615051608, 1e-8, 0, "halves: its interval");
	ok(h[0].interval.lo == 0, "halves: an interval does not begin below 0");
	near(r.total_halves[0].mean, 61.8, 1e-14, 0, "halves: all samples of the first");
	near(r.total_halves[1].mean, 61.6, 1e-14, 0, "halves: all samples of the second");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

/* NIST TN 1826, section 7: 126 means of 100 runs each, compared with one another. */
static void test_published_level(void)
{
	struct et_experiment *e = profile_of(1);
	uint32_t f = node(e, ET_PROFILE_ROOT, "f", "/bin/p");
	uint32_t g = node(e, ET_PROFILE_ROOT, "g", "/bin/p");

	for (uint32_t i = 0; i < 100; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, f, 500 + i % 7, 0);
		et_profile_run_add(&run, g, 500 - i % 7, 0);
		profile_add(e, 0, i + 1, &run);
	}
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 126 * 126, 0);
	near(r.row_level, 0.999996769, 0, 5e-10, "published: the level of 126 x 126 statements");
	near(r.coverage_factor, 4.936, 0, 5e-4, "published: the coverage factor of 100 runs");
	et_profile_result_free(&r);
	r = judge(e, ET_BY_FUNCTION, 1, 0);
	near(r.row_level, 0.95, 0, 0, "published: one statement has the level itself");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

/* Whole counts whose distribution is normal, in an order without dependence. */
static void normal_counts(uint64_t x[100])
{
	for (size_t i = 0; i < 100; i++)
		x[i * 37 % 100] = (uint64_t)round(500 + 50 * et_qnorm(((double)i + 0.5) / 100));
}

/* The rows have the published k unless their counts are skewed or dependent. */
static void test_row_factors(void)
{
	struct et_experiment *e = profile_of(1);
	const char *names[] = { "normal", "rare", "dependent", "equal" };
	uint32_t nodes[4];
	uint64_t x[100];

	normal_counts(x);
	for (size_t k = 0; k < 4; k++)
		nodes[k] = node(e, ET_PROFILE_ROOT, names[k], "/bin/p");
	for (uint32_t i = 0; i < 100; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, nodes[0], x[i], 0);
		if (i % 29 == 3)
			et_profile_run_add(&run, nodes[1], 1 + i % 2, 0);
		et_profile_run_add(&run, nodes[2], 400 + i / 10 % 2 * 50 + i % 3, 0);
		et_profile_run_add(&run, nodes[3], 300, 0);
		profile_add(e, 0, i + 1, &run);
	}
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 126 * 126, 0);
	const struct et_profile_row *normal = row_of(&r, "normal"), *rare = row_of(&r, "rare"),
				    *dependent = row_of(&r, "dependent"),
				    *equal = row_of(&r, "equal");
	near(normal->coverage_factor, 4.936, 0, 5e-4, "k: normal counts have the published k");
	near(normal->expanded_uncertainty, normal->coverage_factor * normal->sd / 10, 1e-12, 0,
		"k: their U is k s / sqrt(n)");
	near(normal->df, 99, 0, 0, "k: their degrees of freedom are n - 1");
	is_str(normal->interval_method, "student-t", "k: their method is Student's t");
	ok(rare->skewed && rare->coverage_factor > r.coverage_factor + 1,
		"k: skewed counts have a larger k (%.2f)", rare->coverage_factor);
	is_str(rare->interval_method, "student-t-widened", "k: the method of skewed counts");
	is_str(rare->share_method, "student-t-widened", "k: that of their shares");
	ok(dependent->dependent && dependent->df < 99, "k: dependent counts have fewer df (%.1f)",
		dependent->df);
	ok(dependent->coverage_factor > r.coverage_factor, "k: and a larger k (%.2f)",
		dependent->coverage_factor);
	is_str(equal->interval_method, "resolution", "k: equal counts have their step only");
	near(equal->coverage_factor, 0.999996769 * sqrt(3), 0, 1e-8,
		"k: that of the rectangular distribution");
	for (size_t i = 0; i < r.n_rows; i++)
		near(r.rows[i].expanded_uncertainty,
			r.rows[i].coverage_factor * r.rows[i].standard_uncertainty, 1e-12, 0,
			"k: U = k u of %s", r.rows[i].name);
	et_profile_result_free(&r);
	et_experiment_free(e);
}

/* main calls f, which calls itself and g. */
static void test_stack(void)
{
	struct et_experiment *e = profile_of(1);
	uint32_t top = node(e, ET_PROFILE_ROOT, "main", "/bin/p");
	uint32_t f = node(e, top, "f", "/bin/p"), ff = node(e, f, "f", "/bin/p");
	uint32_t g = node(e, ff, "g", "/lib/q"), lone = node(e, ET_PROFILE_ROOT, "g", "/lib/q");

	for (uint32_t i = 0; i < 4; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, f, 10, 0);
		et_profile_run_add(&run, ff, 20 + i, 0);
		et_profile_run_add(&run, g, 30, 0);
		et_profile_run_add(&run, lone, 40, 0);
		profile_add(e, 0, i + 1, &run);
	}
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 1, 0);
	ok(r.n_rows == 3, "stack: a function without samples of its own has a row");
	is_str(r.rows[0].name, "g", "stack: the function with most samples of its own is first");
	near(r.rows[0].mean, 70, 0, 0, "stack: contexts of a function are added up");
	near(r.rows[1].mean, 31.5, 0, 0, "stack: recursive calls belong to the same function");
	near(r.rows[1].total_mean, 61.5, 0, 0,
		"stack: a recursive function counts once per sample");
	near(r.rows[2].total_mean, 61.5, 0, 0, "stack: the outermost function has its callees");
	near(r.rows[2].mean, 0, 0, 0, "stack: it has no samples of its own");
	near(r.rows[2].interval.hi, -log(0.025) / 4, 1e-12, 0,
		"stack: the bound of a mean without a sample is Poisson's");
	is_str(r.rows[2].interval_method, "poisson", "stack: the method says so");
	ok(r.rows[1].total_share_interval.hi <= 1 && r.rows[1].total_share < 1,
		"stack: shares are at most 1");
	et_profile_result_free(&r);
	r = judge(e, ET_BY_MODULE, 1, 0);
	near(r.rows[1].total_mean, 61.5, 0, 0, "stack: a module counts once per sample, too");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_runs_that_count(void)
{
	struct et_experiment *e = three_functions();
	uint32_t f = node(e, ET_PROFILE_ROOT, "f", "/bin/p");
	struct et_profile_run run = profile_run();

	run.throttled = 1;
	et_profile_run_add(&run, f, 1000, 0);
	profile_add(e, 0, 11, &run);
	run.lost = 5;
	et_profile_run_add(&run, f, 1000, 0);
	profile_add(e, 0, 12, &run);
	et_profile_run_add(&run, f, 1000, 0);
	profile_add(e, 0, 13, &run);
	et_samples_edit(&e->commands[0].samples, 12)->ruling.removal.by = ET_REMOVED_FAILED;
	et_profile_run_add(&run, f, 1000, 0);
	profile_add(e, 0, 14, &run);
	e->profile->runs[e->profile->n_runs - 1].warmup = true;
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 0);
	ok(r.runs == RUNS && r.invalid == 2 && r.throttled == 1 && r.lost == 5,
		"runs: throttled runs, runs with lost records, failures and warm-up do not count");
	near(r.rows[0].mean, 50.5, 1e-14, 0, "runs: the others do");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_few_runs(void)
{
	struct et_experiment *e = profile_of(1);
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 99);

	ok(r.n_rows == 0 && r.runs == 0 && isnan(r.coverage_factor) && r.row_level == 0.95,
		"few: a profile without a run has no rows");
	et_profile_result_free(&r);
	struct et_profile_run run = profile_run();
	et_profile_run_add(&run, node(e, ET_PROFILE_ROOT, "f", "/bin/p"), 9, 0);
	profile_add(e, 0, 1, &run);
	r = judge(e, ET_BY_FUNCTION, 0, 99);
	ok(r.n_rows == 1 && r.rows[0].mean == 9 && isnan(r.rows[0].sd) &&
			isnan(r.rows[0].interval.lo) && isnan(r.rows[0].share_interval.hi),
		"few: one run has a mean and no interval");
	et_profile_result_free(&r);
	profile_add(e, 0, 2, &run);
	profile_add(e, 0, 3, &run);
	r = judge(e, ET_BY_FUNCTION, 0, 99);
	ok(r.runs == 3 && r.rows[0].mean == 3 && r.rows[0].share == 1 &&
			r.rows[0].seen_in_runs == 1,
		"few: runs without any sample count 0, and have no shares");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_constant(void)
{
	struct et_experiment *e = profile_of(1);
	uint32_t f = node(e, ET_PROFILE_ROOT, "f", "/bin/p");

	for (uint32_t i = 0; i < 5; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, f, 50, 0);
		profile_add(e, 0, i + 1, &run);
	}
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 99);
	is_str(r.rows[0].interval_method, "resolution", "constant: equal counts leave one sample");
	near(r.rows[0].expanded_uncertainty, 0.95 * 0.5, 1e-9, 0,
		"constant: the uncertainty is that of the step");
	near(r.rows[0].share_interval.lo, 1 + log(0.025) / 250, 1e-12, 0,
		"constant: the others have less than what 250 samples would have shown");
	ok(r.rows[0].share_interval.hi == 1, "constant: no share is above 1");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

/* Equal counts in runs of nearly equal length: one sample more would change the share by 1/21. */
static void test_equal_counts(void)
{
	struct et_experiment *e = profile_of(1);
	uint32_t f = node(e, ET_PROFILE_ROOT, "f", "/bin/p"),
		 g = node(e, ET_PROFILE_ROOT, "g", "/bin/p");

	for (uint32_t i = 0; i < 3; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, f, 4, 0);
		et_profile_run_add(&run, g, 16 + i, 0);
		profile_add(e, 0, i + 1, &run);
	}
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 1, 0);
	near(r.rows[1].share_interval.hi - r.rows[1].share, 1.959963984540054 / 21 / sqrt(12), 1e-9,
		0, "equal counts: a share is not known better than to the step of its count");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_bootstrap(void)
{
	struct et_experiment *e = three_functions();
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 1, 9999);
	struct et_profile_result again = judge(e, ET_BY_FUNCTION, 1, 9999);
	const struct et_profile_row *f = &r.rows[0];

	/* The limit of many replicates is nearly normal: mean ± 1.96 sd sqrt((n - 1) / n^2). */
	near(f->mean_percentile.lo, 50.5 - 1.96 * 0.9574271 * sqrt(0.9), 0, 0.1,
		"bootstrap: percentile interval of the mean, low");
	near(f->mean_percentile.hi, 50.5 + 1.96 * 0.9574271 * sqrt(0.9), 0, 0.1,
		"bootstrap: percentile interval of the mean, high");
	ok(f->mean_bca.lo < 50.5 && f->mean_bca.hi > 50.5 && f->sd_bca.lo < f->sd &&
			f->sd_bca.hi > f->sd && f->sd_percentile.lo < f->sd,
		"bootstrap: BCa intervals of mean and sd surround the estimates");
	ok(again.rows[0].sd_bca.lo == f->sd_bca.lo && again.rows[0].mean_bca.hi == f->mean_bca.hi,
		"bootstrap: the same seed gives the same answer");
	et_profile_result_free(&again);
	et_profile_judge(e, 0,
		&(struct et_profile_options){
			.statements = 1, .replicates = 9999, .seed = 7, .threads = 3 },
		&again);
	ok(again.rows[0].sd_bca.lo == f->sd_bca.lo && again.rows[0].mean_bca.hi == f->mean_bca.hi,
		"bootstrap: so does every number of threads");
	et_profile_result_free(&again);
	again = judge(e, ET_BY_FUNCTION, 1000, 9999);
	ok(again.bootstrap_level == 0.95 &&
			again.rows[0].mean_percentile.lo == f->mean_percentile.lo,
		"bootstrap: a level that the replicates do not reach is not pretended");
	et_profile_result_free(&again);
	again = judge(e, ET_BY_FUNCTION, 10, 9999);
	ok(again.bootstrap_level == again.row_level &&
			again.rows[0].mean_percentile.lo < f->mean_percentile.lo &&
			again.rows[0].sd_bca.lo == f->sd_bca.lo,
		"bootstrap: several statements widen the interval of the mean, not that of the sd");
	et_profile_result_free(&again);
	et_profile_result_free(&r);
	et_experiment_free(e);
}

static void test_widest(void)
{
	struct et_experiment *e = three_functions();
	struct et_profile_result r = judge(e, ET_BY_FUNCTION, 0, 0);

	near(et_profile_widest(&r, 0.5), 0.03510960403182064, 1e-9, 0,
		"widest: of the rows with a large share");
	near(et_profile_widest(&r, 0.01), 0.03510960403182064, 1e-9, 0,
		"widest: of all rows but the rarest");
	ok(isnan(et_profile_widest(&r, 0.9)), "widest: without such a row it is not known");
	near(et_profile_reached(e, 0, 0), et_profile_widest(&r, 0.01), 0, 0,
		"until: the widest of the rows with a hundredth of the samples");
	ok(et_profile_reached(e, 0, 1) < et_profile_reached(e, 0, 0),
		"until: narrower if the level holds for one statement");
	et_profile_result_free(&r);
	et_experiment_free(e);
}

int main(void)
{
	test_whole();
	test_gprof();
	test_common_row();
	test_rare_row();
	test_models();
	test_modules();
	test_published_level();
	test_row_factors();
	test_halves();
	test_stack();
	test_runs_that_count();
	test_few_runs();
	test_constant();
	test_equal_counts();
	test_bootstrap();
	test_widest();
	return tap_done();
}
