/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which warnings a survey of the clocks raises: surveys made to order. */
#include "measure/trace/clock_warnings.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>
#include <math.h>

static const struct et_timepiece pieces[] = {
	{ .name = "rdtsc", .kind = ET_CLOCK_COUNTER, .counts = "counter" },
	{ .name = "CLOCK_TAI", .kind = ET_CLOCK_TIME, .counts = "atomic time" },
};

static struct et_survey *survey(void)
{
	struct et_survey *s = et_calloc(1, sizeof(*s));

	s->cpus = 4;
	s->counter = (struct et_counter){ "tsc", true, 2.5e9, 10 };
	for (size_t i = 0; i < ET_LENGTH(pieces); i++)
		s->clocks[s->n_clocks++] = (struct et_survey_clock){ &pieces[i],
			{ .step = 100, .steps = 50, .confirmed = 50 } };
	s->timer = (struct et_timer){ .tick_ns = 4e6, .interrupts = 120 };
	s->pairs[s->n_pairs++] = (struct et_agreement){ 0, 1, 2000, -100, 100, 0 };
	return s;
}

/* The warnings of a survey, which is freed. */
static struct et_warnings warnings_of(struct et_survey *s, const char *clocksource)
{
	struct et_warnings w = { 0 };

	et_survey_warn(s, clocksource, &w);
	free(s);
	return w;
}

static void expect(struct et_survey *s, enum et_warning_code code, const char *label)
{
	struct et_warnings w = warnings_of(s, "tsc");

	ok(w.n == 1 && w.list[0].code == code, "%s", label);
	et_warnings_free(&w);
}

static void test_sound(void)
{
	struct et_warnings w = warnings_of(survey(), "tsc");

	ok(w.n == 0, "a sound machine raises no warning");
	et_warnings_free(&w);
	w = warnings_of(survey(), "hpet");
	ok(w.n == 1 && w.list[0].code == ET_WARN_CLOCK_SOURCE &&
			!strcmp(w.list[0].args[0].text, "hpet"),
		"a clock source other than the counter is named");
	et_warnings_free(&w);
}

static void test_counter(void)
{
	struct et_survey *s = survey();

	s->counter = (struct et_counter){ 0 };
	expect(s, ET_WARN_NO_COUNTER, "a processor without a counter");
	s = survey();
	s->counter = (struct et_counter){ 0 };
	s->counter_error = EPERM;
	expect(s, ET_WARN_COUNTER_FORBIDDEN, "a counter that may not be read");
	s = survey();
	s->counter.invariant = false;
	expect(s, ET_WARN_COUNTER_RATE_VARIES, "a counter of varying rate");
	s = survey();
	s->drift_error = -ERANGE;
	expect(s, ET_WARN_COUNTER_BACKWARDS, "a counter that goes backwards");
	s = survey();
	s->pairs[0].backwards = 3;
	expect(s, ET_WARN_COUNTER_BACKWARDS_ACROSS_CPUS, "counters of CPUs that disagree");
	s = survey();
	s->pairs[0].lo = 1000;
	s->pairs[0].hi = -1000;
	expect(s, ET_WARN_COUNTERS_DRIFT_APART, "counters of CPUs that drift apart");
}

static void test_cpus(void)
{
	struct et_survey *s = survey();

	s->cpus = 1;
	s->n_pairs = 0;
	expect(s, ET_WARN_ONE_CPU, "a process that may use one CPU only");
	s = survey();
	s->pairs[1] = (struct et_agreement){ 0, 2, 0, INT64_MIN, INT64_MAX, 0 };
	s->n_pairs = 2;
	expect(s, ET_WARN_CPUS_BUSY, "a CPU that was too busy to answer");
	s = survey();
	s->pairs_error = -EPERM;
	expect(s, ET_WARN_CPUS_NOT_COMPARED, "a CPU that could not be compared");
}

static void test_timer(void)
{
	struct et_survey *s = survey();

	s->timer_error = -EAGAIN;
	s->timer.interrupts = 7;
	expect(s, ET_WARN_FEW_TIMER_INTERRUPTS, "too few timer interrupts");
	s = survey();
	s->timer_error = -ENOENT;
	expect(s, ET_WARN_NO_TIMER_INTERRUPT, "no regular timer interrupt");
	s = survey();
	s->timer_error = -EPERM;
	expect(s, ET_WARN_TIMER_NOT_MEASURED, "a timer that could not be measured");
}

static void test_clocks(void)
{
	struct et_survey *s = survey();

	s->clocks[1].figures.steps = 0;
	expect(s, ET_WARN_CLOCK_NO_STEP, "a clock that did not advance");
	s = survey();
	s->clocks[1].figures.confirmed = 1;
	expect(s, ET_WARN_CLOCK_STEP_UNCONFIRMED, "a step that was seen once");
	s = survey();
	s->clocks[1].figures.backwards = 2;
	expect(s, ET_WARN_CLOCK_BACKWARDS, "a clock that goes backwards");
	s = survey();
	s->clocks[1].figures.steps = 0;
	s->clocks[1].figures.error = EPERM;
	struct et_warnings w = warnings_of(s, "tsc");
	ok(w.n == 0, "a clock that cannot be read raises no warning: the table says so");
	et_warnings_free(&w);
	s = survey();
	s->ntp.error = EPERM;
	expect(s, ET_WARN_NTP_UNREADABLE, "a correction of the clock that cannot be read");
	s = survey();
	s->cut_short = true;
	s->counter.invariant = false;
	expect(s, ET_WARN_SURVEY_CUT_SHORT, "an interrupted survey raises one warning only");
}

int main(void)
{
	test_sound();
	test_counter();
	test_cpus();
	test_timer();
	test_clocks();
	return tap_done();
}
