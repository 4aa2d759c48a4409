/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conclusions from constructed surveys, and a short real one. */
#include "clock/survey.h"
#include "tap.h"

#include <errno.h>

static struct et_survey s; /* too large for the stack */

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
	ok(o.compared == 0 && isnan(o.worst_ns) && et_survey_counter_sound(&s),
		"offsets: a single CPU is sound");
	add_pair(1, -100, 60, 2000, 0);
	add_pair(2, -20, 140, 2000, 0);
	o = et_survey_offsets(&s);
	ok(o.compared == 2 && !o.backwards && !o.moves, "offsets: two pairs are compared");
	near(o.worst_ns, 70, 1e-12, 0, "offsets: 140 ticks at 2 GHz are 70 ns");
	add_pair(3, INT64_MIN, INT64_MAX, 0, 0);
	o = et_survey_offsets(&s);
	ok(o.silent == 1 && o.compared == 2 && o.worst_ns == 70,
		"offsets: a pair without an answer does not count");
	ok(et_survey_counter_sound(&s),
		"offsets: a pair without an answer leaves the counter sound");
	add_pair(4, 10, 60, 2000, 3);
	ok(et_survey_offsets(&s).backwards && !et_survey_counter_sound(&s),
		"offsets: a counter that goes backwards is unsound");
	s.n_pairs = 0;
	add_pair(1, 50, -50, 2000, 0);
	ok(et_survey_offsets(&s).moves && !et_survey_counter_sound(&s),
		"offsets: a counter with a moving offset is unsound");
	s.n_pairs = 0;
	s.counter.invariant = false;
	ok(!et_survey_counter_sound(&s), "offsets: a counter that is not invariant is unsound");
	s.counter.invariant = true;
	s.drift_error = -ERANGE;
	ok(!et_survey_counter_sound(&s), "offsets: a counter without a fitted rate is unsound");
}

static void test_figures(void)
{
	static const struct et_timepiece counter = { .name = "rdtsc", .kind = ET_CLOCK_COUNTER };
	static const struct et_timepiece clock = { .name = "gettimeofday", .kind = ET_CLOCK_TIME };
	static const struct et_timepiece none = { .name = "CLOCK_TAI", .kind = ET_CLOCK_TIME };

	begin();
	s.clocks[0] = (struct et_survey_clock){ &counter, { .step = 20 } };
	s.clocks[1] = (struct et_survey_clock){ &clock, { .step = 1000 } };
	s.clocks[2] = (struct et_survey_clock){ &none, { .error = EPERM } };
	s.n_clocks = 3;
	near(et_survey_step_ns(&s, &s.clocks[0]), 10, 1e-12, 0,
		"figures: ticks are converted to time");
	near(et_survey_step_ns(&s, &s.clocks[1]), 1000, 0, 0,
		"figures: the step of a clock is a time already");
	s.counter.hz = 0;
	ok(isnan(et_survey_step_ns(&s, &s.clocks[0])), "figures: without a rate the step is NaN");
	ok(et_survey_find_sound(&s, "gettimeofday") == &s.clocks[1].figures,
		"figures: a clock is found by its name");
	ok(!et_survey_find_sound(&s, "CLOCK_TAI") && !et_survey_find_sound(&s, "sundial"),
		"figures: clocks that cannot be read or do not exist are not found");
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
	struct et_survey_options o = { .cpu = -1, .duration_ns = 500000000 };

	sched_getaffinity(0, sizeof(before), &before);
	ok(et_survey_take(&o, &s) == 0 && !s.cut_short,
		"real survey: it takes half a second and succeeds");
	ok(s.n_clocks >= 13 && s.n_readings > 6 && s.done == s.total,
		"real survey: all steps are done");
	ok(!s.counter.name || s.drift_error || s.counter.hz > 1e6,
		"real survey: the counter has a rate");
	ok(s.cpus == (size_t)CPU_COUNT(&before), "real survey: it knows the number of CPUs");
	ok(s.n_pairs + 1 == s.cpus || !s.counter.name || s.cpus > ET_SURVEY_PAIRS,
		"real survey: each other CPU is compared");
	sched_getaffinity(0, sizeof(after), &after);
	ok(CPU_EQUAL(&before, &after), "real survey: the affinity is restored");
	o.pulse = &pulse;
	ok(et_survey_take(&o, &s) == 0 && s.cut_short && s.n_clocks == 5,
		"real survey: the pulse ends it after %zu clocks", s.n_clocks);
	o.cpu = CPU_SETSIZE - 1;
	ok(et_survey_take(&o, &s) < 0, "real survey: a CPU that does not exist is refused");
}

int main(void)
{
	test_offsets();
	test_figures();
	test_real();
	return tap_done();
}
