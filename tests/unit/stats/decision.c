/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparisons that run until they are decided: what is concluded of simulated duets never
 * contradicts the interval beside it, and the words say what was concluded.
 */
#include "base/base.h"
#include "num/num.h"
#include "stats/compare/contrast.h"
#include "stats/compare/duet.h"
#include "stats/compare/paired.h"
#include "tap.h"

enum { EXPERIMENTS = 20000, MOST_PAIRS = 60 };
static const double margin = 0.01, level = 0.95;

static size_t draw(struct et_rng *rng, double *pairs, double *solos)
{
	static const double truths[] = { 0, 0, 0.003, -0.01, 0.02, 0.3 };
	double truth = truths[et_rng_below(rng, ET_LENGTH(truths))], bias = 0, last = 0;
	double spread = pow(10, -4 + 3 * et_rng_uniform(rng));
	double dependence = et_rng_below(rng, 3) ? 0 : 0.5;
	size_t n = 1 + et_rng_below(rng, MOST_PAIRS);

	if (!et_rng_below(rng, 4))
		bias = 0.05; /* solo runs that contradict the pairs */
	for (size_t i = 0; i < n; i++) {
		last = dependence * last + et_rng_normal(rng);
		double rare = et_rng_below(rng, 30) ? 0 : 20;
		pairs[i] = truth + spread * (last + rare);
		solos[i] = truth + bias + 3 * spread * et_rng_normal(rng);
	}
	return n;
}

static bool agrees(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);

	switch (c->conclusion) {
	case ET_CONCLUDED_SLOWER:
		return c->lo >= 1 && r.lo >= 1 && r.estimate >= 1;
	case ET_CONCLUDED_FASTER:
		return c->hi <= 1 && r.hi <= 1 && r.estimate <= 1;
	case ET_CONCLUDED_EQUAL:
		return c->margin > 0 && r.lo >= 1 - margin && r.hi <= 1 + margin && r.lo <= 1 &&
		       r.hi >= 1;
	case ET_CONCLUDED_SAME:
		return r.lo <= 1 && r.hi >= 1 && c->lo <= 1 && c->hi >= 1 &&
		       !(c->margin > 0 && r.lo >= 1 - margin && r.hi <= 1 + margin);
	default:
		return !c->significant;
	}
}

static void never_contradicts(void)
{
	double pairs[MOST_PAIRS], solos[MOST_PAIRS];
	size_t contradictions = 0, equal = 0, different = 0, open = 0;
	struct et_rng rng;

	et_rng_seed(&rng, 11, 0);
	for (size_t k = 0; k < EXPERIMENTS; k++) {
		size_t n = draw(&rng, pairs, solos);
		struct et_duets d = { .pairs = pairs,
			.n_pairs = n,
			.overlapped = k % 3 != 0,
			.metronome_ns = 1000000,
			.solos = solos,
			.n_solos = k % 2 ? n : 0,
			.footprints = { { 4e6, 300, 0.1, 3e7 }, { 4e6, 300, 0.1, 3e7 } } };
		struct et_contrast c = {
			.level = level, .margin = k % 5 ? margin : 0, .unit = ET_UNIT_NS
		};
		et_judge_duets(&d, &c);
		et_contrasts_conclude(&c, 1, 1 - level);
		contradictions += !agrees(&c);
		equal += c.conclusion == ET_CONCLUDED_EQUAL;
		different += c.significant;
		open += c.conclusion == ET_CONCLUDED_SAME;
		et_warnings_free(&c.warnings);
	}
	ok(!contradictions && equal > EXPERIMENTS / 20 && different > EXPERIMENTS / 20 &&
			open > EXPERIMENTS / 20,
		"decision: of %d comparisons, of which %zu are equal, %zu different and %zu open, "
		"%zu contradict their interval",
		EXPERIMENTS, equal, different, open, contradictions);
}

/* A ratio of pairs that did not overlap needs no correction. */
static struct et_contrast judge(const double *pairs, size_t n)
{
	struct et_duets d = { .pairs = pairs, .n_pairs = n };
	struct et_contrast c = { .level = level, .margin = margin, .unit = ET_UNIT_NS };

	et_judge_duets(&d, &c);
	et_contrasts_conclude(&c, 1, 1 - level);
	return c;
}

static void by_sequence(void)
{
	double pairs[40];

	for (size_t i = 0; i < ET_LENGTH(pairs); i++)
		pairs[i] = 0.001 * (i % 2 ? 1 : -1);
	struct et_contrast c = judge(pairs, ET_LENGTH(pairs));
	struct et_sequence s = et_sequence_of(pairs, ET_LENGTH(pairs), level);
	ok(c.conclusion == ET_CONCLUDED_EQUAL && !strcmp(c.method, "confidence-sequence"),
		"decision: pairs that vary by 0.1 %% are equal within 1 %%");
	near(c.alone.hi, exp(s.hi), 1e-12, 0, "decision: the interval is that of the sequence");
	near(c.p, s.p, 1e-12, 0, "decision: and so is p");
	et_warnings_free(&c.warnings);
	for (size_t i = 0; i < ET_LENGTH(pairs); i++)
		pairs[i] += 0.02;
	c = judge(pairs, ET_LENGTH(pairs));
	ok(c.conclusion == ET_CONCLUDED_SLOWER && c.lo > 1.019, "decision: 2 %% more is slower");
	et_warnings_free(&c.warnings);
	c = judge(pairs, 4);
	ok(c.conclusion == ET_CONCLUDED_TOO_FEW, "decision: four pairs are too few");
	et_warnings_free(&c.warnings);
	for (size_t i = 0; i < ET_LENGTH(pairs); i++)
		pairs[i] = 0;
	c = judge(pairs, ET_LENGTH(pairs));
	ok(c.conclusion == ET_CONCLUDED_NOTHING,
		"decision: pairs that do not vary cannot be judged");
	et_warnings_free(&c.warnings);
}

/* Of ten pairs a difference that is not large may come from runs that depend on each other. */
static void few_pairs(void)
{
	double pairs[30];
	struct et_rng rng;
	struct et_contrast c;

	et_rng_seed(&rng, 5, 0);
	for (size_t i = 0; i < ET_LENGTH(pairs); i++)
		pairs[i] = 0.01 * et_rng_normal(&rng) + 0.008;
	for (size_t n = 10; n <= 30; n += 20) {
		c = (struct et_contrast){
			.level = level, .unit = ET_UNIT_NS, .arrangement = "block"
		};
		et_judge_pairs(pairs, n, &c);
		et_contrasts_conclude(&c, 1, 1 - level);
		et_contrasts_warn(&c, 1, 1 - level);
		ok(c.significant && et_warnings_have(&c.warnings, ET_WARN_DEPENDENCE_UNTESTED) ==
					    (n == 10),
			"few pairs: %zu that differ with p = %.2g are too few to see dependence: "
			"%s",
			n, c.p, n == 10 ? "yes" : "no");
		et_warnings_free(&c.warnings);
	}
	for (size_t i = 0; i < 10; i++)
		pairs[i] += 0.1;
	c = (struct et_contrast){ .level = level, .unit = ET_UNIT_NS, .arrangement = "block" };
	et_judge_pairs(pairs, 10, &c);
	et_contrasts_conclude(&c, 1, 1 - level);
	et_contrasts_warn(&c, 1, 1 - level);
	ok(c.significant && !c.warnings.n, "few pairs: a large difference needs no more of them");
	et_warnings_free(&c.warnings);
	c = judge(pairs, 10);
	ok(c.significant && !c.warnings.n,
		"few pairs: nor does a decision, which takes more evidence");
	et_warnings_free(&c.warnings);
}

/* The usual runs are equal, and one in twenty takes twice as long. */
static void slow_runs(void)
{
	double pairs[60];

	for (size_t i = 0; i < ET_LENGTH(pairs); i++)
		pairs[i] = 0.002 * (i % 2 ? 1 : -1);
	struct et_contrast c = judge(pairs, ET_LENGTH(pairs));
	ok(c.conclusion == ET_CONCLUDED_EQUAL && !c.warnings.n,
		"slow runs: without any, equal programs need no warning");
	et_warnings_free(&c.warnings);
	for (size_t i = 0; i < ET_LENGTH(pairs); i += 20)
		pairs[i] += M_LN2;
	c = judge(pairs, ET_LENGTH(pairs));
	ok(c.conclusion == ET_CONCLUDED_EQUAL &&
			et_warnings_have(&c.warnings, ET_WARN_MEAN_DISAGREES),
		"slow runs: equal within 1 %%, but the mean is larger by %.1f %%",
		100 * (c.mean_ratio - 1));
	et_warnings_free(&c.warnings);
}

/* Holm's last step would call the third one different, though it has no interval yet. */
static void family(void)
{
	struct et_contrast c[3];

	for (size_t i = 0; i < ET_LENGTH(c); i++)
		c[i] = (struct et_contrast){ .level = 0.983,
			.margin = margin,
			.unit = ET_UNIT_NS,
			.arrangement = "duet",
			.pairs = 28,
			.ratio = 3,
			.mean_ratio = 3,
			.lo = i < 2 ? 2.9 : 0,
			.hi = i < 2 ? 3.1 : INFINITY,
			.alone = { 3, i < 2 ? 2.9 : 0, i < 2 ? 3.1 : INFINITY, "corrected-pairs" },
			.p = i < 2 ? 1e-9 : 0.03 };
	et_contrasts_conclude(c, ET_LENGTH(c), 1 - level);
	ok(c[0].conclusion == ET_CONCLUDED_SLOWER && c[1].significant,
		"decision: of three, those with an interval are slower");
	ok(!c[2].significant && c[2].conclusion == ET_CONCLUDED_TOO_FEW,
		"decision: the one without an interval is open");
	for (size_t i = 0; i < ET_LENGTH(c); i++)
		et_warnings_free(&c[i].warnings);
}

enum { BUILDS = 300, FIRST = 10, LAST = 200 };

/* Whether the evidence against the limit is that of the interval which decides. */
static bool evident(const struct et_contrast *c, double limit)
{
	struct et_ratio r = et_gate_ratio(c);
	double e = et_gate_evidence(c, limit);

	if (!isfinite(r.lo) || !isfinite(r.hi))
		return isnan(e);
	return (e > 1 / (1 - c->level)) == (r.lo > 1 + limit || r.hi < 1 + limit);
}

/* Of how many builds a gate says that a program is slower by more than 5 %, at one of its looks. */
static size_t failing(double truth, size_t *contradictions)
{
	double pairs[LAST];
	size_t failed = 0;
	struct et_rng rng;

	et_rng_seed(&rng, 3, 1);
	for (size_t k = 0; k < BUILDS; k++) {
		enum et_gate_verdict verdict = ET_GATE_UNDECIDED;
		for (size_t n = 0; n < LAST && verdict == ET_GATE_UNDECIDED;) {
			pairs[n++] = log1p(truth) + 0.015 * et_rng_normal(&rng);
			if (n < FIRST || n % 2)
				continue;
			struct et_contrast c = judge(pairs, n);
			verdict = et_gate_judge(&c, 0.05);
			*contradictions += !evident(&c, 0.05);
			et_warnings_free(&c.warnings);
		}
		failed += verdict == ET_GATE_REGRESSED;
	}
	return failed;
}

/*
 * Of how many comparisons of equal programs one says that they differ, if whoever sees that it is
 * open after the first session adds pairs in a second one, and in a third (`run --resume --more`).
 */
static size_t alarms_with_more(size_t *open)
{
	static const size_t sessions[] = { 20, 60, LAST };
	double pairs[LAST];
	size_t alarms = 0;
	struct et_rng rng;

	*open = 0;
	et_rng_seed(&rng, 4, 1);
	for (size_t k = 0; k < BUILDS; k++) {
		enum et_conclusion found = ET_CONCLUDED_SAME;
		size_t n = 0;
		for (size_t s = 0; s < ET_LENGTH(sessions) && found == ET_CONCLUDED_SAME; s++) {
			while (n < sessions[s] && found == ET_CONCLUDED_SAME) {
				pairs[n++] = 0.03 * et_rng_normal(&rng);
				if (n < FIRST || n % 2)
					continue;
				struct et_contrast c = judge(pairs, n);
				bool too_few = c.conclusion < ET_CONCLUDED_SAME;
				found = too_few ? ET_CONCLUDED_SAME : c.conclusion;
				et_warnings_free(&c.warnings);
			}
			*open += found == ET_CONCLUDED_SAME;
		}
		alarms += found == ET_CONCLUDED_SLOWER || found == ET_CONCLUDED_FASTER;
	}
	return alarms;
}

static void more(void)
{
	size_t open, alarms = alarms_with_more(&open);

	ok(alarms <= BUILDS / 20 && open > BUILDS,
		"decision: %zu of %d equal comparisons alarm, if those that are open get more "
		"pairs, %zu times in all",
		alarms, BUILDS, open);
}

static void gate(void)
{
	size_t wrong = 0, at_limit = failing(0.05, &wrong), above = failing(0.07, &wrong),
	       below = failing(0.03, &wrong);

	ok(at_limit <= BUILDS / 40 && above == BUILDS && below == 0,
		"decision: a limit of 5 %% fails %zu of %d builds that are exactly as slow, %zu "
		"that "
		"are 7 %% slower, %zu that are 3 %% slower",
		at_limit, BUILDS, above, below);
	ok(wrong == 0,
		"decision: the e-value exceeds 1 / alpha where the interval excludes the limit");
}

int main(void)
{
	never_contradicts();
	by_sequence();
	few_pairs();
	slow_runs();
	family();
	gate();
	more();
	return tap_done();
}
