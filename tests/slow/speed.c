/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coverage on the path of `run`: normal times on a machine that is slow now and then, checked by
 * et_sanity_check and judged by et_judge. The rule looks at the widths of intervals before it
 * decides, which could cost coverage. The answer is about full speed if slow samples were removed
 * or the probe is a covariate, and about the mixture of speeds otherwise. The seeds are fixed; the
 * margins are three Monte-Carlo standard deviations.
 */
#include "base/base.h"
#include "num/rng.h"
#include "num/student.h"
#include "protocol/sanity.h"
#include "stats/compare/judge.h"
#include "tap.h"

#include <math.h>

/* Times of 50 ms at full speed with an sd of 1 ms; readings of 20 µs with an sd of 1 %. */
static const double FAST = 50e6, SD = 1e6, READING = 20000;

struct machine {
	const char *name;
	double slow;    /* share of runs that are slow */
	double stays;   /* probability that a run has the state of the one before it */
	double reading; /* factor of a slow reading */
	double effect;  /* factor of a slow run's time; 1: the program does not care */
	double scatter; /* sd of that factor */
	bool constant;  /* all readings are the same */
};

static const struct machine machines[] = {
	{ "never slow", 0, 0, 1, 1, 0, false },
	{ "identical readings", 0, 0, 1, 1, 0, true },
	{ "slow, of no effect", 0.3, 0, 1.8, 1, 0, false },
	{ "slow, of no effect, in spells", 0.5, 0.7, 1.8, 1, 0, false },
	{ "slow by 2 %", 0.3, 0, 1.8, 1.02, 0, false },
	{ "slow by 4 %", 0.3, 0, 1.8, 1.04, 0.005, false },
	{ "slow by 10 %", 0.3, 0, 1.8, 1.1, 0.01, false },
	{ "slow by 50 %", 0.3, 0, 1.8, 1.5, 0.05, false },
	{ "mostly slow, by 10 %", 0.7, 0, 1.8, 1.1, 0.01, false },
	{ "mostly slow, by 50 %", 0.8, 0, 1.8, 1.5, 0.05, false },
	{ "slow by 50 %, in spells", 0.5, 0.7, 1.8, 1.5, 0.05, false },
};

struct counts {
	uint32_t removed, corrected; /* experiments */
	uint32_t covered, answers;
	double wider; /* the most that an answer was wider than the plain mean */
};

static double normal(struct et_rng *rng)
{
	return et_qnorm(et_rng_uniform(rng));
}

static struct et_experiment *measure(
	const struct machine *m, uint32_t commands, size_t n, struct et_rng *rng)
{
	struct et_experiment *e = et_experiment_new();
	bool slow = et_rng_uniform(rng) < m->slow;

	e->commands = et_calloc(commands, sizeof(*e->commands));
	e->n_commands = commands;
	for (size_t i = 0; i < n * commands; i++) {
		if (et_rng_uniform(rng) >= m->stays)
			slow = et_rng_uniform(rng) < m->slow;
		double reading = READING * (slow ? m->reading : 1);
		double factor = slow ? m->effect + m->scatter * normal(rng) : 1;
		double ns = factor * (FAST + SD * normal(rng)), spread = m->constant ? 0 : 0.01;
		struct et_sample s = { .place.command = (uint32_t)(i % commands),
			.place.order = (uint32_t)i + 1,
			.place.round = slow,
			.place.partner = -1,
			.measured.cpu_ns = (uint64_t)ns,
			.measured.elapsed_ns = (uint64_t)ns + 100000,
			.measured.steal_ns = ET_UNKNOWN,
			.measured.probe_before_ns =
				(uint64_t)(reading * (1 + spread * normal(rng))),
			.measured.probe_after_ns =
				(uint64_t)(reading * (1 + spread * normal(rng))) };
		et_experiment_add(e, &s);
	}
	return e;
}

/* The share of the runs that were slow, which measure() noted as the round. */
static double share_slow(const struct et_command *c)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	size_t slow = 0;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
		slow += s->place.round;
	return (double)slow / (double)c->samples.n;
}

static void count(const struct machine *m, const struct et_command_result *r, struct counts *c)
{
	const struct et_estimate *e = &r->estimate[ET_METRIC_CPU],
				 *before = &r->before[ET_METRIC_CPU];
	double lo = e->lo, hi = e->hi, half = e->expanded_uncertainty, truth = FAST;
	double plain = before->n ? before->expanded_uncertainty : half;

	if (r->full_speed.n) {
		lo = r->full_speed.lo;
		hi = r->full_speed.hi;
		half = r->full_speed.expanded_uncertainty;
	} else if (!before->n) {
		truth *= 1 + share_slow(r->command) * (m->effect - 1);
	}
	c->answers++;
	c->covered += lo <= truth && truth <= hi;
	c->wider = fmax(c->wider, half / plain - 1);
}

static struct counts simulate(
	const struct machine *m, uint32_t commands, size_t n, uint32_t repetitions)
{
	struct counts c = { 0 };
	struct et_rng rng;

	et_rng_seed(&rng, 7, n);
	for (uint32_t k = 0; k < repetitions; k++) {
		struct et_experiment *e = measure(m, commands, n, &rng);
		struct et_judgement j;
		size_t changed;
		free(et_sanity_check(e, NULL, &changed));
		et_judge(e, &j);
		bool removed = false;
		for (uint32_t i = 0; i < commands; i++) {
			count(m, &j.commands[i], &c);
			removed = removed || j.commands[i].before[ET_METRIC_CPU].n;
		}
		c.removed += removed;
		c.corrected += j.commands[0].full_speed.n > 0;
		et_judgement_free(&j);
		et_experiment_free(e);
	}
	return c;
}

static void test(const struct machine *m, uint32_t commands, size_t n, uint32_t repetitions)
{
	struct counts c = simulate(m, commands, n, repetitions);
	double p = (double)c.covered / c.answers, margin = 3 * sqrt(0.05 * 0.95 / c.answers);

	ok(p >= 0.93 - margin && (p <= 0.97 + margin || m->effect > 1),
		"%s, %u x %zu runs: covers %.1f %%; slow ones removed in %.0f %%, probe a "
		"covariate in "
		"%.0f %% of experiments",
		m->name, commands, n, 100 * p, 100.0 * c.removed / repetitions,
		100.0 * c.corrected / repetitions);
	ok(c.wider <= 1e-9, "%s, %u x %zu runs: no answer is wider than the plain mean", m->name,
		commands, n);
	ok(m->effect > 1 || c.removed + c.corrected <= 0.02 * repetitions,
		"%s, %u x %zu runs: slowness without effect is ignored", m->name, commands, n);
}

/* The number of repetitions may be given, to make the table of doc/probe.md. */
int main(int argc, char **argv)
{
	uint32_t repetitions = argc > 1 ? (uint32_t)atoi(argv[1]) : 300;
	static const size_t sizes[] = { 10, 30, 100 };

	for (size_t i = 0; i < ET_LENGTH(machines); i++) {
		for (size_t k = 0; k < ET_LENGTH(sizes); k++)
			test(&machines[i], 1, sizes[k], repetitions);
		test(&machines[i], 2, 10, repetitions);
	}
	return tap_done();
}
