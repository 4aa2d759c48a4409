/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of five methods over the same invented runs, by definition. */
#include "base/base.h"
#include "base/parse.h"
#include "protocol/precision.h"
#include "sample_of.h"
#include "tap.h"

enum { RUNS = 6, REMOVED = 4 };

/* A warm-up, then runs of 100 ms, 101 ms …; the program itself sees 2 ms less. */
static uint64_t elapsed_ns(int i)
{
	return 100000000 + (uint64_t)i * 1000000;
}

static struct et_experiment *make(void)
{
	struct et_experiment *e = et_experiment_new();

	et_experiment_add_command(e, et_strdup("INC0.1"), et_strv_of("inc", NULL));
	for (int i = -1; i < RUNS; i++) {
		struct et_sample s = {
			.place = { .partner = -1, .order = (uint32_t)(i + 2), .warmup = i < 0 }
		};
		s.measured.elapsed_ns = i < 0 ? 500000000 : elapsed_ns(i);
		s.measured.counter_ticks = 3 * s.measured.elapsed_ns;
		s.measured.cpu_ns = s.measured.elapsed_ns - 5000000;
		if (i == REMOVED)
			s.ruling.removal.by = ET_REMOVED_TWO_SIGMA;
		et_experiment_add(e, &s);
	}
	return e;
}

static void expect(
	const struct et_precision *p, double unit, double less_ns, int without, const char *what)
{
	double n = 0, sum = 0, squares = 0;
	double min = INFINITY, max = 0;

	for (int i = 0; i < RUNS; i++) {
		double x = unit * ((double)elapsed_ns(i) - less_ns);
		if (i == without)
			continue;
		n++;
		sum += x;
		min = fmin(min, x);
		max = fmax(max, x);
	}
	for (int i = 0; i < RUNS; i++) {
		double off = unit * ((double)elapsed_ns(i) - less_ns) - sum / n;
		squares += i == without ? 0 : off * off;
	}
	ok((double)p->n == n, "%s: %g runs count", what, n);
	near(p->mean, sum / n, 1e-14, 0, "%s: the mean agrees with the definition", what);
	near(p->sd, sqrt(squares / (n - 1)), 1e-9, 0, "%s: so does the sd", what);
	near(p->relative_error, sqrt(squares / (n - 1)) / (sum / n), 1e-9, 0,
		"%s: the relative error is sd / mean", what);
	ok(p->min == min && p->max == max, "%s: so do minimum and maximum", what);
}

static void test_methods(void)
{
	struct et_experiment *e = make();
	struct et_inside_reading readings[RUNS + 1];
	struct et_inside inside = { readings, RUNS + 1, 0 };
	struct et_clock_methods m;

	readings[0] = (struct et_inside_reading){ 1, 1 }; /* of the warm-up */
	for (int i = 0; i < RUNS; i++)
		readings[i + 1] = (struct et_inside_reading){ elapsed_ns(i) - 2000000,
			3 * (elapsed_ns(i) - 2000000) };
	et_clock_methods_judge(&e->commands[0], &inside, &m);
	expect(&m.by[ET_CLOCK_INSIDE], 1, 2e6, -1, "the clock inside");
	expect(&m.by[ET_COUNTER_INSIDE], 3, 2e6, -1, "the counter inside");
	expect(&m.by[ET_CLOCK_AROUND], 1, 0, -1, "the clock around");
	expect(&m.by[ET_COUNTER_AROUND], 3, 0, -1, "the counter around");
	expect(&m.by[ET_BY_EMP], 1, 5e6, REMOVED, "EMP");
	near(m.counter_hz, 3e9, 1e-14, 0, "the rate of the counter is derived from the clock");
	ok(m.n == RUNS && m.runs[REMOVED].removed && !m.runs[0].removed &&
			m.runs[2].by[ET_CLOCK_INSIDE] == (double)(elapsed_ns(2) - 2000000),
		"each run has its own readings, without the warm-up");
	et_clock_methods_free(&m);

	inside.n = 3; /* the program was killed before it reported the others */
	et_clock_methods_judge(&e->commands[0], &inside, &m);
	ok(m.by[ET_CLOCK_INSIDE].n == 2 && m.by[ET_CLOCK_AROUND].n == RUNS,
		"runs without readings of their own count around only");
	et_clock_methods_free(&m);

	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.counter_ticks = ET_UNKNOWN;
	et_clock_methods_judge(&e->commands[0], NULL, &m);
	ok(m.by[ET_COUNTER_AROUND].n == 0 && isnan(m.by[ET_COUNTER_AROUND].mean) &&
			isnan(m.counter_hz),
		"without counter readings mean and rate are NaN");
	ok(m.by[ET_CLOCK_INSIDE].n == 0 && m.by[ET_BY_EMP].n == RUNS - 1,
		"an experiment of another command has no readings inside");
	et_clock_methods_free(&m);
	et_experiment_free(e);
}

int main(void)
{
	test_methods();
	return tap_done();
}
