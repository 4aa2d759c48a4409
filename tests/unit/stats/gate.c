/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --fail-on-regression: the rule, and how often it is wrong on simulated pairs. */
#include "base/base.h"
#include "num/rng.h"
#include "num/student.h"
#include "stats/compare/contrast.h"
#include "stats/compare/paired.h"
#include "tap.h"

static struct et_contrast contrast(double ratio, double lo, double hi, bool significant)
{
	return (struct et_contrast){ .ratio = ratio,
		.lo = lo,
		.hi = hi,
		.p = significant ? 0.001 : 0.5,
		.significant = significant,
		.side_by_side = ET_NO_RATIO,
		.alone = ET_NO_RATIO };
}

static void rule(void)
{
	struct et_contrast c = contrast(1.08, 1.06, 1.10, true);

	ok(et_gate_judge(&c, 0) == ET_GATE_REGRESSED, "gate: 6 … 10 %% slower exceeds 0");
	ok(et_gate_judge(&c, 0.05) == ET_GATE_REGRESSED, "gate: 6 … 10 %% slower exceeds 5 %%");
	ok(et_gate_judge(&c, 0.06) == ET_GATE_UNDECIDED,
		"gate: an interval that begins at the limit does not exceed it");
	ok(et_gate_judge(&c, 0.07) == ET_GATE_UNDECIDED,
		"gate: an interval that contains the limit is undecided, wherever the ratio is");
	ok(et_gate_judge(&c, 0.10) == ET_GATE_PASSED, "gate: an interval up to the limit passes");
	c.alone = (struct et_ratio){ .estimate = 1.04, .lo = 1.03, .hi = 1.049 };
	ok(et_gate_judge(&c, 0.05) == ET_GATE_PASSED,
		"gate: the ratio of the programs alone decides where it is known");
	near(et_contrast_ratio(&c).estimate, 1.04, 0, 0,
		"gate: the ratio is that of the programs alone");
	c = contrast(1.08, 1.06, 1.10, false);
	ok(et_gate_judge(&c, 0) == ET_GATE_UNDECIDED,
		"gate: without significance in its family it is undecided");
	c = contrast(1.0, 0.99, 1.01, false);
	ok(et_gate_judge(&c, 0) == ET_GATE_PASSED, "gate: no difference passes a limit of 0");
	ok(et_gate_judge(&c, 0.05) == ET_GATE_PASSED, "gate: no difference passes 5 %%");
	ok(et_gate_judge(&c, 0.005) == ET_GATE_UNDECIDED,
		"gate: no difference is undecided if the interval exceeds the limit");
	c = contrast(0.5, 0.4, 0.6, true);
	ok(et_gate_judge(&c, 0) == ET_GATE_PASSED, "gate: a faster program passes");
	c = contrast(2, NAN, NAN, false);
	ok(et_gate_judge(&c, 0) == ET_GATE_UNDECIDED, "gate: without an interval it is undecided");
	c = contrast(2, 1.9, 2.1, false);
	c.pairs_needed = 6;
	ok(et_gate_judge(&c, 0) == ET_GATE_UNDECIDED, "gate: too few pairs are undecided");
}

static void family(void)
{
	struct et_contrast c[] = { contrast(1.02, 0.99, 1.04, false), contrast(1.3, 1.2, 1.4, true),
		contrast(1.5, 1.4, 1.6, true), contrast(9, 8, 10, true) };
	struct et_gate g = { .contrasts = c, .n = 4 };
	size_t at;

	c[3].a = 1;
	ok(et_gate_decide(&g, &at) == ET_GATE_REGRESSED && at == 2,
		"gate: the largest regression from the reference decides");
	g.n = 1;
	ok(et_gate_decide(&g, &at) == ET_GATE_PASSED && at == 0, "gate: a single pass decides");
	g.limit = 0.03;
	ok(et_gate_decide(&g, &at) == ET_GATE_UNDECIDED && at == 0,
		"gate: one undecided comparison decides");
	g.reference = 7;
	ok(et_gate_decide(&g, &at) == ET_GATE_PASSED && at == g.n,
		"gate: comparisons with others do not count");
}

/* The share of 4000 comparisons of 20 pairs that fail, with this true ratio. */
static double failures(double ratio, double limit, uint64_t seed)
{
	enum { TIMES = 4000, PAIRS = 20 };
	struct et_rng rng;
	int failed = 0;

	et_rng_seed(&rng, seed, 0);
	for (int i = 0; i < TIMES; i++) {
		struct et_contrast c = { .level = 0.95,
			.arrangement = "block",
			.side_by_side = ET_NO_RATIO,
			.alone = ET_NO_RATIO };
		double d[PAIRS];
		for (int k = 0; k < PAIRS; k++)
			d[k] = log(ratio) + 0.03 * et_rng_normal(&rng);
		et_judge_pairs(d, PAIRS, &c);
		et_contrasts_conclude(&c, 1, 0.05);
		failed += et_gate_judge(&c, limit) == ET_GATE_REGRESSED;
		et_warnings_free(&c.warnings);
	}
	return (double)failed / TIMES;
}

/* One side of a 95 % interval: 2.5 % and three standard errors of the simulation. */
static void honest(void)
{
	const double most = 0.025 + 3 * 0.0025;
	double equal = failures(1, 0, 1), at_limit = failures(1.05, 0.05, 2);
	double below = failures(1.02, 0.05, 3), above = failures(1.1, 0.05, 4);

	ok(equal <= most && equal > 0.01, "gate: %.2f %% of equal programs fail a limit of 0",
		100 * equal);
	ok(at_limit <= most && at_limit > 0.01,
		"gate: %.2f %% of programs that are 5 %% slower fail a limit of 5 %%",
		100 * at_limit);
	ok(below < 0.002, "gate: %.2f %% of programs that are 2 %% slower fail a limit of 5 %%",
		100 * below);
	ok(above > 0.99, "gate: %.2f %% of programs that are 10 %% slower fail a limit of 5 %%",
		100 * above);
}

/* The recommended number of pairs decides in about 4 of 5 cases if the ratio is as estimated. */
static void recommended(void)
{
	enum { TIMES = 1000, PAIRS = 20 };
	static const double ratios[] = { 1.02, 1.04, 1.06 };
	const double sd = 0.05, limit = 0.05;

	for (size_t r = 0; r < ET_LENGTH(ratios); r++) {
		double half = 2.093 * sd / sqrt(PAIRS); /* Student's t with 19 degrees of freedom */
		struct et_contrast c =
			contrast(ratios[r], ratios[r] * exp(-half), ratios[r] * exp(half), false);
		struct et_rng rng;
		int decided = 0;

		c.arrangement = "block";
		c.pairs = PAIRS;
		c.level = 0.95;
		size_t n = et_gate_runs(&c, limit);
		ET_AUTO_FREE double *d = et_calloc(n, sizeof(*d));
		et_rng_seed(&rng, 9, r);
		for (int i = 0; i < TIMES; i++) {
			struct et_contrast got = { .level = 0.95,
				.arrangement = "block",
				.side_by_side = ET_NO_RATIO,
				.alone = ET_NO_RATIO };
			for (size_t k = 0; k < n; k++)
				d[k] = log(ratios[r]) + sd * et_rng_normal(&rng);
			et_judge_pairs(d, n, &got);
			et_contrasts_conclude(&got, 1, 0.05);
			decided += et_gate_judge(&got, limit) != ET_GATE_UNDECIDED;
			et_warnings_free(&got.warnings);
		}
		ok(decided >= 0.7 * TIMES && decided <= 0.93 * TIMES,
			"gate: %zu pairs decide a ratio of %.2f in %.0f %%", n, ratios[r],
			100.0 * decided / TIMES);
	}
}

/* The pairs judged as `run` judges them when it asks whether two programs differ. */
static struct et_contrast asked(double *d, size_t n)
{
	struct et_contrast c = { .level = 0.95,
		.margin = 0.01,
		.arrangement = "block",
		.side_by_side = ET_NO_RATIO,
		.alone = ET_NO_RATIO };

	et_judge_pairs(d, n, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	et_warnings_free(&c.warnings);
	return c;
}

/* The same of the question whether two programs differ: an open one has values of 40 pairs. */
static void recommended_question(void)
{
	enum { TIMES = 500, PAIRS = 40 };
	static const double ratios[] = { 1, 1.003, 1.02 };
	const double sd = 0.05;

	for (size_t r = 0; r < ET_LENGTH(ratios); r++) {
		double first[PAIRS];
		struct et_rng rng;
		int decided = 0, early = 0;

		for (size_t i = 0; i < PAIRS; i++) /* in an order without dependence */
			first[i * 17 % PAIRS] =
				log(ratios[r]) + sd * et_qnorm(((double)i + 0.5) / PAIRS);
		struct et_contrast c = asked(first, PAIRS);
		size_t n = et_equal_runs(&c);
		ok(!c.significant && c.conclusion == ET_CONCLUDED_SAME && n > PAIRS,
			"question: %d pairs leave a ratio of %.3f open, and %zu are recommended",
			PAIRS, ratios[r], n);
		ET_AUTO_FREE double *d = et_calloc(n, sizeof(*d));
		et_rng_seed(&rng, 10, r);
		for (int i = 0; i < TIMES; i++) {
			for (size_t k = 0; k < n; k++)
				d[k] = log(ratios[r]) + sd * et_rng_normal(&rng);
			struct et_contrast got = asked(d, n), few = asked(d, n / 3);
			decided += got.significant || got.conclusion == ET_CONCLUDED_EQUAL;
			early += few.significant || few.conclusion == ET_CONCLUDED_EQUAL;
		}
		/* 40 pairs leave room for more dependence than there is. */
		ok(decided >= 0.75 * TIMES && early <= 0.6 * TIMES,
			"question: %zu pairs decide a ratio of %.3f in %.0f %%, a third in %.0f %%",
			n, ratios[r], 100.0 * decided / TIMES, 100.0 * early / TIMES);
	}
}

int main(void)
{
	recommended();
	recommended_question();
	rule();
	family();
	honest();
	return tap_done();
}
