/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from a survey, and a short real one. */
#include "clock/survey.h"
#include "tap.h"

#include <errno.h>

static struct et_survey s; /* too large for a stack that others measure on */

static void add_pair(int far, int64_t lo, int64_t hi, uint32_t rounds, uint32_t backwards)
{
	s.pairs[s.n_pairs++] = (struct et_agreement){
		.near = 0, .far = far, .rounds = rounds, .lo = lo, .hi = hi, .backwards = backwards
	};
}

static void begin(void)
{
	memset(&s, 0, sizeof(s));
	s.counter = (struct et_counter){ .name = "tsc", .invariant = true, .hz = 2e9 };
}

static void test_offsets(void)
{
	begin();
	struct et_survey_offsets o = et_survey_offsets(&s);
	ok(o.compared == 0 && isnan(o.worst_ns) && et_survey_counter_sound(&s), "one CPU agrees");
	add_pair(1, -100, 60, 2000, 0);
	add_pair(2, -20, 140, 2000, 0);
	o = et_survey_offsets(&s);
	ok(o.compared == 2 && !o.backwards && !o.moves, "two agree");
	near(o.worst_ns, 70, 1e-12, 0, "140 counts at 2 GHz are 70 ns");
	add_pair(3, INT64_MIN, INT64_MAX, 0, 0);
	o = et_survey_offsets(&s);
	ok(o.silent == 1 && o.compared == 2 && o.worst_ns == 70,
		"one that was never met says nothing");
	ok(et_survey_counter_sound(&s), "and is no reproach");
	add_pair(4, 10, 60, 2000, 3);
	ok(et_survey_offsets(&s).backwards && !et_survey_counter_sound(&s), "backwards is unsound");
	s.n_pairs = 0;
	add_pair(1, 50, -50, 2000, 0);
	ok(et_survey_offsets(&s).moves && !et_survey_counter_sound(&s),
		"so is an offset that moves");
	s.n_pairs = 0;
	s.counter.invariant = false;
	ok(!et_survey_counter_sound(&s), "and a rate that changes");
	s.counter.invariant = true;
	s.drift_error = -ERANGE;
	ok(!et_survey_counter_sound(&s), "and a counter that went back");
}

static void test_figures(void)
{
	static const struct et_timepiece counter = { .name = "rdtsc", .kind = ET_CLOCK_CYCLES };
	static const struct et_timepiece clock = { .name = "gettimeofday", .kind = ET_CLOCK_TIME };
	static const struct et_timepiece none = { .name = "CLOCK_TAI", .kind = ET_CLOCK_TIME };

	begin();
	s.clocks[0] = (struct et_survey_clock){ &counter, { .step = 20 } };
	s.clocks[1] = (struct et_survey_clock){ &clock, { .step = 1000 } };
	s.clocks[2] = (struct et_survey_clock){ &none, { .error = EPERM } };
	s.n_clocks = 3;
	near(et_survey_step_ns(&s, &s.clocks[0]), 10, 1e-12, 0, "counts are turned into time");
	near(et_survey_step_ns(&s, &s.clocks[1]), 1000, 0, 0, "time is time");
	s.counter.hz = 0;
	ok(isnan(et_survey_step_ns(&s, &s.clocks[0])), "no rate, no time");
	ok(et_survey_find(&s, "gettimeofday") == &s.clocks[1].figures, "found by name");
	ok(!et_survey_find(&s, "CLOCK_TAI") && !et_survey_find(&s, "sundial"),
		"what cannot be read, or is not there, is not");
}

static bool stop_soon(void *ctx)
{
	return ++*(int *)ctx < 5;
}

static void test_real(void)
{
	cpu_set_t before, after;
	int beats = 0;
	struct et_pulse pulse = { stop_soon, &beats };

	sched_getaffinity(0, sizeof(before), &before);
	ok(et_survey_take(-1, 500000000, NULL, &s) == 0 && !s.cut_short, "half a second of it");
	ok(s.n_clocks >= 13 && s.n_readings > 6 && s.done == s.total, "all was done");
	ok(!s.counter.name || s.drift_error || s.counter.hz > 1e6, "the counter has a rate");
	ok(s.cpus == (size_t)CPU_COUNT(&before), "of the CPUs there are");
	ok(s.n_pairs + 1 == s.cpus || !s.counter.name || s.cpus > ET_SURVEY_PAIRS,
		"each was asked");
	sched_getaffinity(0, sizeof(after), &after);
	ok(CPU_EQUAL(&before, &after), "and it may run where it could before");
	ok(et_survey_take(-1, 500000000, &pulse, &s) == 0 && s.cut_short && s.n_clocks == 5,
		"it ends when told, with %zu clocks", s.n_clocks);
	ok(et_survey_take(CPU_SETSIZE - 1, 500000000, NULL, &s) < 0, "a CPU that is not there");
}

int main(void)
{
	test_offsets();
	test_figures();
	test_real();
	return tap_done();
}
