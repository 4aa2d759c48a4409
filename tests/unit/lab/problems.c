/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The problems of Bryant & O'Hallaron, Computer Systems, first edition, chapter 9, against the
 * book's answers, and other numbers against the definition.
 */
#include "lab/problems.h"
#include "num/tick_count.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static struct et_problem_values none;
static struct et_problem_answer answer;
static struct et_error err;

static int solve(const char *name, const struct et_problem_values *v)
{
	return et_problem_solve(et_problem_find(name), v, &answer, &err);
}

static double figure(const char *name)
{
	for (size_t i = 0; i < answer.n; i++) {
		if (!strcmp(answer.figures[i].name, name))
			return answer.figures[i].value;
	}
	return NAN;
}

static void the_book(void)
{
	struct et_problem_values v = none;

	ok(solve("event-load", &none) == 0, "problem 9.1 has an answer");
	near(figure("load"), 0.1, 1e-12, 0, "problem 9.1: keystrokes take 10 %% of the processor");
	ok(solve("tick-count", &none) == 0, "problem 9.4 has an answer");
	near(figure("least_ns"), 60e6, 1e-12, 0, "problem 9.4: at least 60 ms");
	near(figure("most_ns"), 80e6, 1e-12, 0, "problem 9.4: at most 80 ms");
	ok(solve("fit-segment", &none) == 0, "problem 9.7 has an answer");
	near(figure("chance"), 0.6, 1e-12, 0, "problem 9.7: the chance is (50 - t) / 50");
	near(figure("expected_trials"), 5, 1e-12, 0, "problem 9.7: 5 trials for t = 20");
	v.given[ET_PROBLEM_TIME] = 40e6;
	ok(solve("fit-segment", &v) == 0, "problem 9.7 has an answer for t = 40");
	near(figure("expected_trials"), 15, 1e-12, 0, "problem 9.7: 15 trials for t = 40");
	ok(solve("time-overflow", &none) == 0 && answer.n == 2, "problem 9.8 has an answer");
	is_str(answer.figures[1].text, "2038-01-19T03:14:08Z",
		"problem 9.8: tv_sec becomes negative in 2038");
	ok(solve("sleep-rate", &none) == 0, "problem 9.12 has an answer");
	near(figure("least_sleep_ns"), 1.99e9, 1e-12, 0, "problem 9.12: the sleep lasts 1.99 s");
	near(figure("most_sleep_ns"), 2e9, 1e-12, 0, "problem 9.12: or up to 2 s");
	near(figure("least_rate_hz"), 1000e6, 1e-12, 0, "problem 9.12: the rate is 1000 MHz");
	near(figure("most_rate_hz"), 2e9 / 1.99, 1e-12, 0, "problem 9.12: or up to 1005 MHz");
	/* Section 9.3.1: 1.8e10 s, and 4.3 s for the low 32 bits. */
	ok(solve("counter-wrap", &none) == 0, "section 9.3.1 has an answer");
	near(figure("wraps_after_ns"), 1.8e19, 0, 0.05e19, "section 9.3.1: 64 bits at 1 GHz");
	v = none;
	v.given[ET_PROBLEM_BITS] = 32;
	ok(solve("counter-wrap", &v) == 0, "section 9.3.1 has an answer for 32 bits");
	near(figure("wraps_after_ns"), 4.3e9, 0, 0.05e9, "section 9.3.1: 32 bits at 1 GHz");
}

/* The bounds of a tick count are reached, and no segment is outside of them. */
static void bounds(void)
{
	struct et_problem_values v = none;
	double from = 0;

	for (int ticks = 0; ticks < 4; ticks++) {
		double lo = INFINITY, hi = -INFINITY;
		v.given[ET_PROBLEM_TICKS] = ticks;
		for (double to = 0.05e6; to < 60e6; to += 0.05e6) {
			double least, most;
			if (et_interval_count_range(&from, &to, 1, 10e6, &least, &most) ||
				least > ticks * 10e6 || most < ticks * 10e6)
				continue;
			lo = fmin(lo, to);
			hi = fmax(hi, to);
		}
		ok(solve("tick-count", &v) == 0, "tick-count: %d ticks", ticks);
		near(figure("least_ns"), lo, 0, 0.1e6, "tick-count: the shortest with %d ticks",
			ticks);
		near(figure("most_ns"), hi, 0, 0.1e6, "tick-count: the longest with %d ticks",
			ticks);
	}
}

static void sequences(void)
{
	struct et_problem_values v = none;

	/* Ticks at 10 (Au until 12), 20 and 30 (Bu from 18 to 33), 40 (the end of Bs). */
	ok(solve("charged", &none) == 0 && answer.n == 8, "charged: four labels");
	ok(figure("Au_charged_ns") == 10e6 && figure("As_charged_ns") == 0 &&
			figure("Bu_charged_ns") == 20e6 && figure("Bs_charged_ns") == 10e6,
		"charged: each tick counts for the activity just before it");
	ok(figure("Bu_true_ns") == 15e6, "charged: the true time is there");
	v.sequence = "Au:5ms,Bu:10ms,Au:5ms";
	ok(solve("charged", &v) == 0 && figure("Au_charged_ns") == 10e6 &&
			figure("Bu_charged_ns") == 10e6 && figure("Au_true_ns") == 10e6,
		"charged: stretches of one label add up");
	static const char *const wrong[] = { "", "Au", "Au:", ":5ms", "Au:x", "toolongname:1ms",
		"Au:1ms,,", "a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		v.sequence = wrong[i];
		ok(solve("charged", &v) < 0 && err.exit == ET_EXIT_USAGE && *err.what,
			"charged: the sequence '%s' is refused", wrong[i]);
	}
}

static void bad(void)
{
	struct et_problem_values v = none;

	ok(!et_problem_find("nosuch"), "a problem that does not exist is not found");
	v.given[ET_PROBLEM_BITS] = 64;
	ok(solve("tick-count", &v) < 0 && strstr(err.what, "--bits"),
		"a number that the problem does not take is refused");
	ok(solve("time-overflow", &v) < 0, "time-overflow: a date beyond the calendar is refused");
	v = none;
	v.sequence = "Au:1ms";
	ok(solve("tick-count", &v) < 0 && strstr(err.what, "--sequence"),
		"a sequence that the problem does not take is refused");
	v = none;
	v.given[ET_PROBLEM_SLEEP] = 10e6;
	ok(solve("sleep-rate", &v) < 0, "sleep-rate: a sleep of one interval has no bound");
	v = none;
	v.given[ET_PROBLEM_TIME] = 50e6;
	ok(solve("fit-segment", &v) == 0 && figure("chance") == 0 &&
			isnan(figure("expected_trials")),
		"fit-segment: a run as long as a segment never fits");
}

int main(void)
{
	et_problem_values_init(&none);
	the_book();
	bounds();
	sequences();
	bad();
	return tap_done();
}
