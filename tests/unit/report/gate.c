/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line of --fail-on-regression, and how often simulated builds with several benchmarks print
 * a regression.
 */
#include "base/base.h"
#include "base/memstream.h"
#include "num/rng.h"
#include "report/pair.h"
#include "stats/compare/judge.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static struct et_contrast contrast(double ratio, double lo, double hi)
{
	return (struct et_contrast){ .ratio = ratio,
		.lo = lo,
		.hi = hi,
		.p = 0.001,
		.significant = true,
		.pairs = 30,
		.arrangement = "block",
		.level = 0.95,
		.family = 1,
		.side_by_side = ET_NO_RATIO,
		.alone = ET_NO_RATIO };
}

static void says(const struct et_contrast *c, double limit, const char *want, const char *label)
{
	ET_AUTO_FREE char *text = et_gate_text(c, limit, "new", "old");

	is_str(text, want, "%s", label);
}

/* One build: `benchmarks` programs that are slower than the first by this ratio, in 30 rounds. */
static struct et_experiment *build(struct et_rng *rng, uint32_t benchmarks, double ratio)
{
	enum { ROUNDS = 30 };
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->plan = (struct et_plan){ .order = ET_ORDER_RANDOM, .level = 0.95, .runs = ROUNDS };
	e->n_commands = benchmarks + 1;
	e->commands = et_calloc(e->n_commands, sizeof(*e->commands));
	for (uint32_t c = 0; c < e->n_commands; c++)
		e->commands[c].name = et_asprintf("program %u", c + 1);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		double speed = exp(0.1 * et_rng_normal(rng));
		for (uint32_t c = 0; c < e->n_commands; c++) {
			/* The reference is known exactly, so that the comparisons are independent.
			 */
			double ms = c ? 10 * ratio * speed * exp(0.015 * et_rng_normal(rng))
				      : 10 * speed;
			struct et_sample s = { .place = { .command = c,
						       .round = i + 1,
						       .order = i * (uint32_t)e->n_commands + c + 1,
						       .arrangement = ET_SOLO } };
			s.measured.cpu_ns = s.measured.elapsed_ns = (uint64_t)llround(1e6 * ms);
			et_experiment_add(e, &s);
		}
	}
	return e;
}

/* The share of builds that print a regression and fail. */
static double failures(uint32_t benchmarks, double ratio, double limit, int times)
{
	const char *names[16];
	struct et_rng rng;
	int failed = 0;

	et_rng_seed(&rng, 5, benchmarks);
	for (int i = 0; i < times; i++) {
		struct et_experiment *e = build(&rng, benchmarks, ratio);
		struct et_judgement j;
		struct et_memstream s;
		et_judge_together(e, &j);
		struct et_gate g = { .contrasts = j.contrasts, .n = j.n_contrasts, .limit = limit };
		for (size_t c = 0; c < e->n_commands; c++)
			names[c] = e->commands[c].name;
		bool regressed =
			et_gate_print(&g, names, "", et_memstream_open(&s)) == ET_GATE_REGRESSED;
		ET_AUTO_FREE char *text = et_memstream_close(&s);
		failed += regressed && strstr(text, "REGRESSION: program");
		et_judgement_free(&j);
		et_experiment_free(e);
	}
	return (double)failed / times;
}

/* doc/ci.md promises that at most 2.5 % of builds fail if no program exceeds the limit. */
static void builds(void)
{
	enum { TIMES = 1500 };
	static const uint32_t sizes[] = { 1, 3, 9 };
	const double most = 0.025 + 3 * sqrt(0.025 * 0.975 / TIMES);

	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		double at_limit = failures(sizes[i], 1.05, 0.05, TIMES);
		double equal = failures(sizes[i], 1, 0, TIMES);
		double above = failures(sizes[i], 1.07, 0.05, 200);
		ok(at_limit <= most && at_limit > 0.005,
			"gate, %u benchmarks that are all as slow as the limit allows: %.1f %% of "
			"builds fail",
			sizes[i], 100 * at_limit);
		ok(equal <= most && equal > 0.005,
			"gate, %u equal benchmarks, limit 0: %.1f %% of builds fail", sizes[i],
			100 * equal);
		ok(above > 0.98,
			"gate, %u benchmarks 2 %% beyond the limit: %.1f %% of builds fail",
			sizes[i], 100 * above);
	}
}

int main(void)
{
	struct et_contrast c = contrast(1.44, 1.40, 1.48);

	says(&c, 0.05, "REGRESSION: new is 44 % slower than old (40 … 48 %), limit 5 %",
		"gate: a regression states names, ratio, interval and limit");
	c = contrast(0.989, 0.970, 1.009);
	says(&c, 0.05, "no regression: new is 1.1 % faster than old (-3.0 … +0.9 %), limit 5 %",
		"gate: in the interval slower is positive, as in the limit");
	c = contrast(0.9996, 0.970, 1.031);
	says(&c, 0.05, "no regression: new is as fast as old (-3 … +3 %), limit 5 %",
		"gate: a change that is printed as 0 has no direction");
	c = contrast(1.04, 0.99, 1.09);
	c.significant = false;
	says(&c, 0.05,
		"undecided: new is 4 % slower than old (-1 … +9 %), limit 5 %; about --runs 1600 "
		"would decide",
		"gate: an interval around the limit is undecided, with the runs that would decide");
	says(&c, 0.0401,
		"undecided: new is 4 % slower than old (-1 … +9 %), limit 4.01 %; the ratio is too "
		"near to the limit for more runs to decide",
		"gate: a ratio at the limit is not decided by any number of runs");
	says(&c, 0, "no regression shown: new is 4 % slower than old (-1 … +9 %), limit 0 %",
		"gate: an interval that contains a limit of 0 does not show that nothing changed");
	c.family = 9;
	says(&c, 0.1,
		"no regression: new is 4 % slower than old (-1 … +9 % over 9 comparisons), limit "
		"10 %",
		"gate: the interval of several comparisons says so");
	c.family = 1;
	c.arrangement = NULL;
	c.values_a = 20;
	c.values_b = 30;
	says(&c, 0.05,
		"undecided: new is 4 % slower than old (-1 … +9 %), limit 5 %; about 1600 values "
		"of "
		"each would decide",
		"gate: series that are not paired need values");
	c.arrangement = "block";
	c.pairs = 3;
	c.pairs_needed = 6;
	says(&c, 0.05,
		"undecided: 3 pairs are too few to compare new with old, limit 5 %; use --runs 6",
		"gate: too few pairs are undecided, with the number to take");
	c.pairs = 0;
	c.pairs_needed = 4;
	says(&c, 0.05,
		"undecided: too few values to compare new with old, limit 5 %; take at least 4 of "
		"each",
		"gate: too few values of series that are not paired are undecided");
	c.pairs_needed = 0;
	c.p = NAN;
	says(&c, 0.05,
		"undecided: new cannot be compared with old, limit 5 %; take 10 runs or more",
		"gate: series that cannot be compared are undecided");
	c = contrast(2, NAN, NAN);
	says(&c, 0.05,
		"REGRESSION: new is 100 % slower than old (no interval: neither varies), limit 5 %",
		"gate: constant series that differ have no interval, and fail");
	c = contrast(1, NAN, NAN);
	c.p = NAN;
	c.significant = false;
	says(&c, 0.05, "no regression: new is equal to old (neither varies), limit 5 %",
		"gate: equal constant series pass");
	says(&c, 0, "no regression: new is equal to old (neither varies), limit 0 %",
		"gate: equal constant series pass without a limit");
	c.pairs = 9;
	says(&c, 0.05,
		"undecided: new cannot be compared with old, limit 5 %; take 10 runs or more",
		"gate: a few equal values are undecided");
	c = contrast(1.02, 0, INFINITY);
	c.significant = false;
	c.margin = 0.01;
	c.pairs = 10;
	says(&c, 0.05,
		"undecided: 10 pairs are too few to compare new with old, limit 5 %; raise "
		"--time-limit or --max-runs, or run 'etalon run --resume ID --more'",
		"gate: a few pairs that may be looked at have no interval");
	c = contrast(2, 2, 2);
	says(&c, 0.05, "REGRESSION: new is 100 % slower than old (100 … 100 %), limit 5 %",
		"gate: an interval without width is printed without needless digits");
	builds();
	return tap_done();
}
