/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiments about profilers on invented counts. Expected figures are from a computation in
 * Python by the definitions, and from NIST TN 1826 where the label names it.
 */
#include "lab/profile_treatment.h"
#include "num/rng.h"
#include "num/student.h"
#include "profile_of.h"
#include "tap.h"

static uint32_t node(struct et_experiment *e, const char *name, enum et_space_kind space)
{
	uint32_t f = et_profile_function_of(e->profile, name, "/bin/x", space, false);

	return et_profile_node_of(e->profile, ET_PROFILE_ROOT, f);
}

static void add(struct et_experiment *e, const char *const *names, const double *counts, size_t n)
{
	struct et_profile_run run = profile_run();

	for (size_t i = 0; i < n; i++) {
		if (counts[i] > 0)
			et_profile_run_add(
				&run, node(e, names[i], ET_SPACE_USER), (uint64_t)counts[i], 0);
	}
	profile_add(e, 0, (uint32_t)e->profile->n_runs + 1, &run);
}

static void test_treatment(void)
{
	static const char *const names[] = { "fn1", "fn2", "read", "et_fragment" };
	static const double counts[][4] = { { 20, 80, 0, 0 }, { 22, 79, 0, 0 }, { 19, 82, 0, 0 },
		{ 23, 77, 0, 0 }, { 21, 81, 0, 0 }, { 18, 82, 2, 1 } };
	static const struct et_category categories[] = { { "fn1", { "fn1" }, 200 },
		{ "fn2", { "fn2" }, 800 }, { "other", { NULL }, NAN } };
	struct et_treatment_options o = {
		.statements = 1, .under_test = 2, .replicates = 999, .seed = 1
	};
	struct et_experiment *e = profile_of(1);
	struct et_profile_treatment t;

	for (size_t r = 0; r < ET_LENGTH(counts); r++)
		add(e, names, counts[r], 4);
	et_treatment_judge(e, 0, categories, 3, &o, &t);
	ok(t.runs == 6 && t.n_cells == 3, "treatment: all runs count, all categories are there");
	near(t.cells[0].mean, 20.5, 1e-12, 0, "treatment: mean of fn1");
	near(t.cells[0].sd, 1.8708286933869707, 1e-12, 0, "treatment: standard deviation of fn1");
	near(t.cells[0].share, 0.2036371578334304, 1e-12, 0, "treatment: mean share of fn1");
	near(t.cells[0].share_interval.hi - t.cells[0].share, 0.023825298567209604, 1e-9, 0,
		"treatment: the shares of both functions hold together");
	near(t.cells[0].interval, 2.5705818356363146 * 1.8708286933869707 / sqrt(6), 1e-9, 0,
		"treatment: 95 %% interval of the mean, by the table of Student's t");
	near(t.cells[0].expanded, t.cells[0].interval, 1e-12, 0,
		"treatment: one statement has the plain interval");
	near(t.cells[0].predicted.gprof, 4.527692569068709, 1e-12, 0, "treatment: gprof's model");
	near(t.cells[0].predicted.multinomial, 4.043014191933776, 1e-12, 0,
		"treatment: the multinomial model");
	near(t.cells[0].predicted.with_total, 4.049948257077756, 1e-12, 0,
		"treatment: the multinomial model with the spread of the total");
	near(t.cells[0].predicted.quantisation, 4.289376411554481, 1e-12, 0,
		"treatment: the quantisation model of 200 calls");
	ok(t.cells[0].sd_interval.lo > 0 && t.cells[0].sd_interval.lo < t.cells[0].sd &&
			t.cells[0].sd_interval.hi >= t.cells[0].sd,
		"treatment: the bootstrap interval of the standard deviation");
	near(t.cells[2].mean, 0.5, 1e-12, 0,
		"treatment: functions without a category are counted together");
	ok(t.counts[2 * 6 + 5] == 3 && t.counts[2 * 6] == 0 && t.counts[6] == 80,
		"treatment: the counts of each run are kept");
	et_treatment_free(&t);
	et_experiment_free(e);
}

/*
 * Few samples: three equal counts, a category that no run saw, and a run without samples. By
 * Python: the step of a share is 1 of 20/3 samples per run, its uncertainty step/sqrt(12), and of
 * zeros in 20 samples it is known that more than -log((1 - level)/2)/20 would hardly be seen.
 */
static void test_few_samples(void)
{
	static const char *const names[] = { "fn1", "fn2", "read" };
	static const double counts[][3] = { { 5, 5, 0 }, { 5, 5, 1 }, { 0, 0, 2 } };
	static const struct et_category categories[] = { { "fn1", { "fn1" }, NAN },
		{ "fn2", { "fn2" }, NAN }, { "fn3", { "fn3" }, NAN }, { "other", { NULL }, NAN } };
	struct et_treatment_options o = { .statements = 1, .under_test = 3, .seed = 1 };
	struct et_experiment *e = profile_of(1);
	double level = cbrt(0.95);
	struct et_profile_treatment t;

	for (size_t r = 0; r < 3; r++)
		add(e, names, counts[r], 3);
	et_treatment_judge(e, 0, categories, 4, &o, &t);
	ok(t.runs == 3 && t.without_share == 1, "few samples: a run without samples has no share");
	near(t.cells[0].share + t.cells[1].share + t.cells[2].share, 1, 1e-12, 0,
		"few samples: the shares add up to 1");
	near(t.cells[0].share_interval.hi, 0.5 + et_qnorm((1 + level) / 2) * 0.15 / sqrt(12), 1e-12,
		0, "few samples: of equal shares, the step is the uncertainty");
	near(t.cells[2].share_interval.hi, -log((1 - level) / 2) / 20, 1e-12, 0,
		"few samples: a function without samples has a bound of its share");
	ok(t.cells[2].share == 0 && t.cells[2].share_interval.lo == 0,
		"few samples: the bound is above 0");
	near(t.cells[2].expanded, -log(0.025) / 3, 1e-12, 0,
		"few samples: a function without samples has a bound of its mean");
	near(t.cells[2].interval, t.cells[2].expanded, 1e-12, 0,
		"few samples: the same of one statement");
	ok(isnan(t.cells[0].r1), "few samples: three runs have no autocorrelation");
	et_treatment_free(&t);
	et_experiment_free(e);
}

static void test_equal_counts(void)
{
	static const char *const names[] = { "fn1", "fn2" };
	static const struct et_category categories[] = { { "fn1", { "fn1" }, NAN },
		{ "fn2", { "fn2" }, NAN } };
	struct et_treatment_options o = { .statements = 1 };
	struct et_experiment *e = profile_of(1);
	struct et_profile_treatment t;

	for (int r = 0; r < 12; r++)
		add(e, names, (double[]){ 5, r % 3 }, 2);
	et_treatment_judge(e, 0, categories, 2, &o, &t);
	near(t.cells[0].interval, 0.95 * 0.5, 1e-9, 0,
		"equal counts: the uncertainty is that of the step of one sample");
	near(t.cells[0].expanded, t.cells[0].interval, 1e-12, 0,
		"equal counts: table and verdict have the same uncertainty");
	ok(isfinite(t.cells[1].r1), "autocorrelation: twelve runs have one");
	et_treatment_free(&t);
	et_experiment_free(e);
	e = profile_of(1);
	add(e, names, (double[]){ 0, 0 }, 2);
	add(e, names, (double[]){ 0, 0 }, 2);
	et_treatment_judge(e, 0, categories, 2, &o, &t);
	ok(t.without_share == 2 && isnan(t.cells[0].share) && isnan(t.cells[0].share_interval.hi),
		"equal counts: without any sample no share is known");
	et_treatment_free(&t);
	et_experiment_free(e);
}

/* NIST TN 1826, section 7.3: 126 means of 100 runs, 126² statements. */
static void test_published_level(void)
{
	static const char *const names[] = { "fn1" };
	static const struct et_category categories[] = { { "fn1", { "fn1" }, NAN } };
	struct et_treatment_options o = { .statements = 126 * 126 };
	struct et_experiment *e = profile_of(1);
	struct et_profile_treatment t;

	for (int r = 0; r < 100; r++) {
		double count = 100 + r % 7;
		add(e, names, &count, 1);
	}
	et_treatment_judge(e, 0, categories, 1, &o, &t);
	near(t.level, 0.999996769, 0, 5e-10, "level: of 126² statements, as published");
	near(t.k, 4.936, 0, 5e-4, "level: the factor k at 99 degrees of freedom, as published");
	et_treatment_free(&t);
	et_experiment_free(e);
}

static void test_triangle(void)
{
	struct et_profile_treatment t = { .n_cells = ET_TRIANGLE_CATEGORIES };
	static const double means[] = { 500, 410, 303, 196, 101 };
	struct et_triangle_verdict v;

	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++) {
		t.cells[i].mean = means[i];
		t.cells[i].share_interval = (struct et_span){ et_triangle_share(i) - 0.001,
			et_triangle_share(i) + 0.001 };
	}
	et_triangle_judge(&t, 1, &v);
	near(v.projected, 511, 1e-12, 0, "triangle: function1 is projected from the four others");
	near(v.half_width, 31.61791118483797, 1e-9, 0,
		"triangle: the half width of the prediction interval");
	near(v.half_width / v.line.residual_sd, 6.803, 0, 5e-4,
		"triangle: 6.803 residual standard deviations for four points");
	ok(!v.anomalous, "triangle: a mean within the interval is no anomaly");
	ok(v.all_shares_hold, "triangle: shares within their intervals hold");
	t.cells[0].mean = 511 - 31.7;
	t.cells[3].share_interval.lo = 2.0 / 15 + 1e-6;
	et_triangle_judge(&t, 1, &v);
	ok(v.anomalous, "triangle: a mean outside of the interval is an anomaly");
	t.cells[0].interval = 32;
	et_triangle_judge(&t, 1, &v);
	ok(!v.anomalous,
		"triangle: a mean whose own interval includes the projection is no anomaly");
	t.cells[0].interval = 0;
	et_triangle_judge(&t, 12, &v);
	/* Of t with two degrees of freedom, q(p) = (2p - 1) sqrt(2 / (4p (1 - p))). */
	near(v.joint_half_width / v.half_width, 3.5472776844753566, 1e-9, 0,
		"triangle: the joint interval of twelve configurations is Šidák's");
	ok(!v.anomalous, "triangle: a mean within the joint interval of twelve is no anomaly");
	ok(!v.shares_hold[3] && v.shares_hold[2] && !v.all_shares_hold,
		"triangle: a share outside of its interval does not hold");
	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++)
		t.cells[i].mean = 0.1 * (double)(ET_TRIANGLE_FUNCTIONS - i);
	t.cells[1].share_interval = (struct et_span){ NAN, NAN };
	et_triangle_judge(&t, 1, &v);
	ok(!v.anomalous, "triangle: means exactly on the line are no anomaly");
	ok(!v.shares_known, "triangle: without intervals there is no verdict on shares");
	near(et_triangle_share(0) + et_triangle_share(4), 6.0 / 15, 1e-12, 0,
		"triangle: 5/15 and 1/15");
	is_str(et_triangle_categories[5].functions[0], "et_triangle",
		"triangle: the loop of put is the main program");
}

static void test_bias(void)
{
	struct et_experiment *e = profile_of(1);
	struct et_profile_run run = profile_run();
	struct et_address_bias b;

	et_profile_run_add(&run, node(e, "nops", ET_SPACE_USER), 30, 0);
	et_profile_run_add(&run, node(e, "nops+0x2", ET_SPACE_USER), 20, 0);
	et_profile_run_add(&run, node(e, "nops+0x12", ET_SPACE_USER), 10, 0);
	et_profile_run_add(&run, node(e, "nops+0x100", ET_SPACE_USER), 4, 0);
	et_profile_run_add(&run, node(e, "nops+0x101", ET_SPACE_USER), 1, 0);
	et_profile_run_add(&run, node(e, "nopsled+0x2", ET_SPACE_USER), 2, 0);
	et_profile_run_add(&run, node(e, "urandom_read+0x2", ET_SPACE_KERNEL), 7, 0);
	profile_add(e, 0, 1, &run);
	et_address_bias_judge(e, 0, "nops", 1, &b);
	ok(b.runs == 1 && b.inside == 64 && b.elsewhere == 10 && b.kernel == 7,
		"bias: samples inside, elsewhere and in the kernel");
	ok(b.hit == 4 && b.addresses[0] == 30 && b.addresses[18] == 10 && b.addresses[256] == 4,
		"bias: samples by address");
	ok(b.residues[0] == 34 && b.residues[2] == 30, "bias: samples by residue");
	near(b.by_address.statistic, 5622.125, 1e-9, 0, "bias: chi-square over addresses");
	near(b.by_residue.statistic, 434.9414062499998, 1e-9, 0, "bias: chi-square over residues");
	near(b.by_residue.p, 3.074408521697176e-83, 1e-6, 0, "bias: its p-value");
	ok(b.by_address.df == 256 && b.by_residue.df == 15, "bias: degrees of freedom");
	et_address_bias_judge(e, 0, "nops", 4, &b);
	ok(b.addresses[0] == 50 && b.addresses[4] == 10 && b.addresses[64] == 5,
		"bias: instructions of four bytes");
	et_address_bias_judge(e, 0, "absent", 1, &b);
	ok(!b.inside && isnan(b.by_address.p), "bias: no samples in the function");
	et_experiment_free(e);
}

/* Independent normal values: 95 % ± 4 sd of the binomial distribution of 2000 groups. */
static void test_coverage(void)
{
	enum { N = 20000 };
	static double x[N];
	struct et_group_coverage c;
	struct et_rng rng;

	et_rng_seed(&rng, 7, 0);
	for (size_t i = 0; i < N; i++)
		x[i] = 200 + 14 * et_rng_normal(&rng);
	et_group_coverage(x, N, 10, &c);
	ok(c.groups == 2000 && c.covered > 1861 && c.covered < 1939,
		"coverage: 95 %% of the intervals of independent groups have the mean (%zu of %zu)",
		c.covered, c.groups);
	for (size_t i = 0; i < N; i++)
		x[i] += 100 * (double)(i / 10 % 2);
	et_group_coverage(x, N, 10, &c);
	ok(c.covered < 200, "coverage: groups that differ are not covered (%zu)", c.covered);
	et_group_coverage(x, 9, 10, &c);
	ok(c.groups == 0, "coverage: there is no group without enough runs");
	near(et_dithered_autocorrelation((double[]){ 3, 3, 3, 3 }, 4, 1), NAN, 0, 0,
		"autocorrelation: equal counts have none");
	for (size_t i = 0; i < N; i++)
		x[i] = i % 2 ? 3 : 1;
	near(et_dithered_autocorrelation(x, N, 1), -1 / (1 + 1.0 / 12), 0, 0.02,
		"autocorrelation: of alternating counts, less by the variance of the dither");
}

int main(void)
{
	test_treatment();
	test_few_samples();
	test_equal_counts();
	test_published_level();
	test_triangle();
	test_bias();
	test_coverage();
	return tap_done();
}
