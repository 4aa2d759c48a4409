/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The promises of intervals and comparisons of benchmarks, simulated: invocations of equal programs
 * are drawn from laws of known kind and judged as etalon_bench_main does.
 */
#include "base/base.h"
#include "lib/bench/judge.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rng.h"
#include "tap.h"

enum { PROCESSES = 10, SAMPLES = 40, INVOCATIONS = 600 };

/* At most 5 % of alarms are promised; this is 2.6 standard errors of 600 pairs more. */
static const double MOST_ALARMS = 0.073;

/* Samples are longer than the time of their process by this, on average. */
static const double REACH = 0.02;

struct law {
	const char *name;
	/* The time of a process, relative to the true one. */
	double (*process)(struct et_rng *rng);
	double drift;   /* sd of a shift of all processes, relative to the reach of samples */
	bool bursts;    /* some processes have slow and preempted samples, with their marks */
	double another; /* at least this share of answers of others is covered */
};

static double normal(struct et_rng *rng)
{
	return 1 + 0.01 * et_rng_normal(rng);
}

static double lognormal(struct et_rng *rng)
{
	return 1 + 0.01 * exp(et_rng_normal(rng));
}

static double heavy_tails(struct et_rng *rng)
{
	double a = et_rng_normal(rng), b = et_rng_normal(rng);

	return 1 + 0.002 * et_rng_normal(rng) / sqrt((a * a + b * b) / 2);
}

static double two_kinds(struct et_rng *rng, double rarer)
{
	return 1 + 0.001 * et_rng_normal(rng) + (et_rng_uniform(rng) < rarer ? 0.03 : 0);
}

static double rare_kind(struct et_rng *rng)
{
	return two_kinds(rng, 0.05);
}

static double less_rare_kind(struct et_rng *rng)
{
	return two_kinds(rng, 0.2);
}

static double half_and_half(struct et_rng *rng)
{
	return two_kinds(rng, 0.5);
}

static double alike(struct et_rng *rng)
{
	(void)rng;
	return 1;
}

static const struct law laws[] = {
	{ "normal", normal, 0, false, 0.93 },
	{ "lognormal", lognormal, 0, false, 0.93 },
	{ "heavy tails", heavy_tails, 0, false, 0.93 },
	{ "5 % of another kind", rare_kind, 0, false, 0.93 },
	{ "20 % of another kind", less_rare_kind, 0, false, 0.9 },
	{ "50 % of another kind", half_and_half, 0, false, 0.9 },
	{ "drift of the machine", alike, 0.02, false, 0.93 },
	{ "bursts", normal, 0, true, 0.93 },
};

static void fill_slice(struct et_slice *s, const struct law *law, double at, struct et_rng *rng)
{
	bool hit = law->bursts && et_rng_uniform(rng) < 0.4;

	for (size_t i = 0; i < SAMPLES; i++) {
		double noise = -log1p(-et_rng_uniform(rng));
		struct et_bench_sample *x = &s->samples[i];

		*x = (struct et_bench_sample){ .ns = at * (1 + REACH * noise) };
		if (hit && i < SAMPLES / 2) {
			x->ns *= i % 2 ? 1.6 : 5;
			x->marks = i % 2 ? ET_BENCH_SLOW : ET_BENCH_PREEMPTED;
		}
		x->cpu_ns = x->ns;
	}
}

/* Fills an invocation of a program that takes `truth`. */
static void invoke(const struct law *law, double truth, bool old, struct et_slice *list,
	struct et_bench_sample (*room)[SAMPLES], struct et_rng *rng)
{
	for (unsigned i = 0; i < PROCESSES; i++) {
		list[i] = (struct et_slice){ .process = i, .old = old, .calls = 1, .hz = 3e9 };
		list[i].samples = room[i];
		list[i].n = SAMPLES;
		fill_slice(&list[i], law, truth * law->process(rng), rng);
	}
}

/* The state of the machine during an invocation. */
static double drift(const struct law *law, struct et_rng *rng)
{
	return 1 + law->drift * REACH * et_rng_normal(rng);
}

static void judge_law(const struct law *law, struct et_rng *rng)
{
	static struct et_bench_sample room[2][PROCESSES][SAMPLES];
	static struct et_bench_estimate e[INVOCATIONS];
	struct et_slice slices[2][PROCESSES];
	double ns[INVOCATIONS], width[INVOCATIONS];
	size_t alarms = 0, covered = 0;

	for (size_t i = 0; i < INVOCATIONS; i++) {
		struct et_bench_comparison c;

		invoke(law, 1e5 * drift(law, rng), false, slices[i % 2], room[i % 2], rng);
		et_bench_judge(slices[i % 2], PROCESSES, false, 0, 0.95, &e[i]);
		ns[i] = e[i].ns;
		width[i] = e[i].hi_ns - e[i].lo_ns;
		if (!i)
			continue;
		et_bench_compare_apart(
			slices[i % 2], PROCESSES, slices[(i + 1) % 2], PROCESSES, 0, 0.95, &c);
		alarms += c.verdict != ET_BENCH_SAME;
		covered += ns[i] >= e[i - 1].lo_ns && ns[i] <= e[i - 1].hi_ns;
		covered += ns[i - 1] >= e[i].lo_ns && ns[i - 1] <= e[i].hi_ns;
	}
	double share = (double)alarms / (INVOCATIONS - 1);
	ok(share <= MOST_ALARMS, "%s: %.1f %% of comparisons of equal programs are alarms",
		law->name, 100 * share);
	share = (double)covered / (2 * (INVOCATIONS - 1));
	ok(share >= law->another, "%s: %.1f %% of answers of another invocation are covered",
		law->name, 100 * share);
	et_sort(width, INVOCATIONS);
	share = et_median_sorted(width, INVOCATIONS) / (3.92 * et_sd(ns, INVOCATIONS));
	ok(share <= 3, "%s: intervals are %.2f times as wide as needed", law->name, share);
}

/* Pairs share the state of the machine. */
static void judge_pairs(
	const struct law *law, double slower, double least, double most, struct et_rng *rng)
{
	static struct et_bench_sample room[2][PROCESSES][SAMPLES];
	struct et_slice both[2 * PROCESSES];
	struct et_bench_comparison c;
	size_t found = 0;

	for (size_t i = 0; i < INVOCATIONS; i++) {
		double truth = 1e5 * drift(law, rng);

		invoke(law, truth * (1 + slower), false, both, room[0], rng);
		invoke(law, truth, true, both + PROCESSES, room[1], rng);
		et_bench_compare_pairs(both, 2 * PROCESSES, 0, 0.95, &c);
		found += slower > 0 ? c.verdict == ET_BENCH_SLOWER : c.verdict != ET_BENCH_SAME;
	}
	double share = (double)found / INVOCATIONS;
	ok(share >= least && share <= most, "%s, in pairs: %.1f %% of differences of %.0f %% found",
		law->name, 100 * share, 100 * slower);
}

/* Of six equal functions in one invocation, any false alarm is one of the invocation. */
static void judge_family(struct et_rng *rng)
{
	enum { FUNCTIONS = 6, TRIALS = 400 };
	static struct et_bench_sample room[2][PROCESSES][SAMPLES];
	struct et_slice slices[2][PROCESSES];
	size_t failed = 0;

	for (size_t i = 0; i < TRIALS; i++) {
		struct et_bench_row rows[FUNCTIONS] = { 0 };

		for (size_t k = 0; k < FUNCTIONS; k++) {
			invoke(&laws[0], 1e5, false, slices[0], room[0], rng);
			invoke(&laws[0], 1e5, true, slices[1], room[1], rng);
			et_bench_compare_apart(slices[0], PROCESSES, slices[1], PROCESSES, 0, 0.95,
				&rows[k].comparison);
			rows[k].has_old = true;
		}
		failed += et_bench_family(rows, FUNCTIONS, 0, 0.95) > 0;
	}
	ok((double)failed / TRIALS <= 0.05, "six equal functions: %.1f %% of invocations fail",
		100.0 * (double)failed / TRIALS);
}

int main(void)
{
	struct et_rng rng;

	et_rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
		judge_law(&laws[i], &rng);
		judge_pairs(&laws[i], 0, 0, MOST_ALARMS, &rng);
	}
	judge_pairs(&laws[3], 0.01, 0.9, 1, &rng);
	judge_family(&rng);
	return tap_done();
}
