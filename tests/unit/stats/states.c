/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two states of a machine, and the time at full speed with the probe as a covariate. */
#include "base/base.h"
#include "sample_of.h"
#include "stats/compare/judge.h"
#include "stats/compare/pace.h"
#include "tap.h"

#include <math.h>

enum { N = 12, SLOW = 5 };

/*
 * The results below are those of the textbook's formulas in exact rational arithmetic: a line
 * through (reading - mean fast reading, time), its value at 0 and the standard error there.
 */
static const double readings[N] = { 20100, 20250, 20040, 40300, 36100, 20190, 40900, 20060, 20330,
	39000, 20150, 39900 };
static const double times[N] = { 50100000, 50900000, 49700000, 75200000, 70100000, 50400000,
	76900000, 49200000, 50600000, 73800000, 51300000, 74400000 };

static void mark(const double *r, bool *slow)
{
	for (int i = 0; i < N; i++)
		slow[i] = r[i] > 22000;
}

static void test_oracle(void)
{
	struct et_full_speed f;
	bool slow[N];

	mark(readings, slow);
	et_full_speed_fit(times, readings, slow, N, 0.95, &f);
	ok(f.n == N && f.df == 10 && f.inflation == 1,
		"full speed: 12 samples, 10 degrees of freedom");
	near(f.reading, 20160, 1e-15, 0, "full speed: it is the mean reading of the fast samples");
	near(f.slope, 1246.6294954000557, 1e-12, 0, "full speed: the slope agrees");
	near(f.slope_uncertainty, 17.52689026603963, 1e-11, 0,
		"full speed: the uncertainty of the slope agrees");
	near(f.mean, 50305962.178236224, 1e-13, 0, "full speed: the time agrees");
	near(f.standard_uncertainty, 216708.85307543128, 1e-11, 0,
		"full speed: the standard uncertainty agrees");
	near(f.expanded_uncertainty, 482857.41510213, 1e-10, 0,
		"full speed: the expanded uncertainty has Student's factor for 10");
	near(f.lo, 49823104.76313409, 1e-12, 0, "full speed: the lower bound agrees");
	near(f.hi, 50788819.593338355, 1e-12, 0, "full speed: the upper bound agrees");
}

static void test_refusals(void)
{
	double same[N], opposite[N];
	struct et_full_speed f;
	bool slow[N], none[N] = { false };

	mark(readings, slow);
	for (int i = 0; i < N; i++) {
		same[i] = 20000;
		opposite[i] = 1e8 - times[i];
	}
	et_full_speed_fit(times, same, slow, N, 0.95, &f);
	ok(f.n == 0, "full speed: equal readings give none");
	et_full_speed_fit(opposite, readings, slow, N, 0.95, &f);
	ok(f.n == 0, "full speed: times that shrink with the reading give none");
	et_full_speed_fit(times, readings, none, N, 0.95, &f);
	ok(f.n == 0, "full speed: without slow samples there is no fit");
	et_full_speed_fit(times, readings, slow, 5, 0.95, &f);
	ok(f.n == 0, "full speed: five samples are too few");
}

/* Marks slow samples, as the check of the protocol does if it keeps them; or removes them. */
static struct et_experiment *measured(uint32_t commands, bool removed)
{
	struct et_experiment *e = et_experiment_new();

	e->commands = et_calloc(commands, sizeof(*e->commands));
	e->n_commands = commands;
	for (uint32_t i = 0; i < N * commands; i++) {
		bool slow = readings[i % N] > 22000;
		struct et_sample s = { .place.command = i / N,
			.place.order = i + 1,
			.place.partner = -1,
			.measured.cpu_ns = (uint64_t)times[i % N],
			.measured.elapsed_ns = (uint64_t)times[i % N] + 500000,
			.measured.steal_ns = ET_UNKNOWN,
			.measured.probe_before_ns = 20000,
			.measured.probe_after_ns = (uint64_t)readings[i % N] };
		if (slow && removed)
			s.ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
		else if (slow)
			s.ruling.marks = ET_MARK_MACHINE_SLOW;
		et_experiment_add(e, &s);
	}
	return e;
}

static void test_states(void)
{
	for (int removed = 0; removed < 2; removed++) {
		struct et_experiment *e = measured(1, removed);
		const char *how = removed ? "removed" : "kept";
		struct et_judgement j;
		et_judge(e, &j);
		const struct et_command_result *r = &j.commands[0];
		ok(r->states.fast == N - SLOW && r->states.slow == SLOW,
			"states: runs are counted if slow ones were %s", how);
		near(r->states.fast_mean, 352200000 / 7.0, 1e-13, 0,
			"states: the mean at full speed if slow runs were %s", how);
		near(r->states.slow_mean, 74080000, 1e-13, 0,
			"states: the mean of slow runs if they were %s", how);
		ok((r->full_speed.n == N) == !removed,
			"states: the probe is a covariate only if slow runs were kept (%s)", how);
		et_judgement_free(&j);
		et_experiment_free(e);
	}
}

/* The judged times of these samples have nothing to do with the readings. */
static void test_unrelated(void)
{
	struct et_experiment *e = measured(1, false);
	struct et_judgement j;

	for (size_t i = 0; i < N; i++)
		sample_of(&e->commands[0], i)->measured.cpu_ns = 50000000 + i * 7 % N * 1000;
	et_judge(e, &j);
	ok(j.commands[0].states.slow == 0 && j.commands[0].full_speed.n == 0,
		"states: there is one state if slow runs take no longer");
	ok(!et_warnings_have(&j.commands[0].warnings, ET_WARN_SLOW_MACHINE),
		"states: slow runs that take no longer raise no warning");
	et_judgement_free(&j);
	e->metric = ET_METRIC_ELAPSED;
	et_judge(e, &j);
	ok(j.commands[0].states.slow == SLOW && j.commands[0].states.slow_mean == 74580000,
		"states: they are judged by the judged metric");
	ok(et_warnings_have(&j.commands[0].warnings, ET_WARN_SLOW_MACHINE),
		"states: slow runs that take longer and are kept raise a warning");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* The other command depends little on the speed: the covariate does not narrow its interval. */
static void test_all_or_none(void)
{
	struct et_experiment *e = measured(2, false);
	struct et_judgement j;

	et_judge(e, &j);
	ok(j.commands[0].full_speed.n == N && j.commands[1].full_speed.n == N,
		"full speed: both commands have it");
	et_judgement_free(&j);
	for (size_t i = 0; i < N; i++)
		sample_of(&e->commands[1], i)->measured.cpu_ns =
			50000000 + i * 7 % N * 1000000 + (readings[i] > 22000 ? 4000000 : 0);
	et_judge(e, &j);
	ok(j.commands[0].full_speed.n == 0 && j.commands[1].full_speed.n == 0 &&
			j.commands[1].states.slow == SLOW,
		"full speed: no command has it if one interval would be wider");
	et_judgement_free(&j);
	for (size_t i = 0; i < N; i++)
		sample_of(&e->commands[1], i)->ruling.marks = 0;
	et_judge(e, &j);
	const struct et_command_result *r = &j.commands[1];
	ok(j.commands[0].full_speed.n == N && r->full_speed.n == N && r->states.slow == 0 &&
			r->full_speed.mean == r->estimate[ET_METRIC_CPU].mean &&
			r->full_speed.hi == r->estimate[ET_METRIC_CPU].hi &&
			isnan(r->full_speed.slope),
		"full speed: a command without slow runs was measured at full speed");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* All runs of one command were slow, and few of the other. */
static void test_one_state_each(void)
{
	struct et_experiment *e = measured(2, false);
	struct et_judgement j;

	for (size_t i = 0; i < N; i++)
		sample_of(&e->commands[1], i)->ruling.marks = ET_MARK_MACHINE_SLOW;
	et_judge(e, &j);
	ok(j.commands[0].states.fast == N - SLOW && j.commands[1].states.fast == 0 &&
			j.commands[1].states.slow == N && isnan(j.commands[1].states.fast_mean),
		"states: a command that was always slow has no time at full speed");
	ok(j.commands[0].full_speed.n == 0 && j.commands[1].full_speed.n == 0,
		"full speed: none is given if one command was always slow");
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	test_oracle();
	test_refusals();
	test_states();
	test_unrelated();
	test_all_or_none();
	test_one_state_each();
	return tap_done();
}
