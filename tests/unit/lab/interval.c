/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting by ticks: against its closed form, and the errors of made-up runs. */
#include "lab/interval_accuracy.h"
#include "lab/lab_series.h"
#include "tap.h"

/*
 * One stretch of d under a tick of t at a random phase: floor(d/t) or one more, the latter with the
 * probability of the fraction of d/t. Unbiased, and never further off than a tick.
 */
static void test_closed_form(void)
{
	static const double lengths[] = { 0.3, 1, 9.99, 10, 10.01, 25, 99.7 };
	enum { PHASES = 10000 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		double d = lengths[i], start = 3.7, end = start + d, sum = 0;
		int more = 0, other = 0;
		for (int k = 0; k < PHASES; k++) {
			double n = et_interval_count(&start, &end, 1, 10, (k + 0.5) * 10 / PHASES) /
				   10;
			more += n == floor(d / 10) + 1;
			other += n != floor(d / 10) && n != floor(d / 10) + 1;
			sum += 10 * n;
		}
		ok(other == 0, "%g: one of two counts", d);
		near((double)more / PHASES, d / 10 - floor(d / 10), 0, 2.0 / PHASES,
			"%g: as often as the fraction says", d);
		near(sum / PHASES, d, 0, 20.0 / PHASES, "%g: no bias", d);
	}
}

/* The same counted one tick after another. */
static void test_stretches(void)
{
	const double from[] = { 0, 17, 40, 55.5 }, to[] = { 3, 36, 41, 90 };

	for (int phase = 0; phase < 10; phase++) {
		double ticks = 0;
		for (int k = 0; k < 10; k++) {
			double at = phase + 10.0 * k;
			for (int i = 0; i < 4; i++)
				ticks += at >= from[i] && at < to[i];
		}
		near(et_interval_count(from, to, 4, 10, phase), 10 * ticks, 0, 0,
			"four stretches, phase %d", phase);
	}
	near(et_interval_count(from, to, 0, 10, 0), 0, 0, 0, "never ran");
}

static void test_judge(void)
{
	struct et_interval_run runs[] = {
		{ 10e6, 5e6, { 0, 10e6, 10.1e6, 10e6 } },
		{ 10e6, 5e6, { 20e6, 0, 10.3e6, 4e6 } },
	};
	struct et_interval_cell c = { .runs = runs, .n_runs = 2 }, none = { 0 };

	struct et_interval_error e = et_interval_judge(&c, ET_INTERVAL_TICKS);
	ok(e.mean == 0 && fabs(e.worst) == 1, "ticks: no bias, off by all of it");
	e = et_interval_judge(&c, ET_INTERVAL_TIMES);
	ok(e.mean == -0.5 && e.worst == -1, "times");
	e = et_interval_judge(&c, ET_INTERVAL_RUSAGE);
	near(e.mean, 0.02, 1e-9, 0, "getrusage: mean");
	near(e.worst, 0.03, 1e-9, 0, "and worst");
	e = et_interval_judge(&c, ET_INTERVAL_USER);
	near(e.worst, 1, 1e-9, 0, "user time is held against user time");
	e = et_interval_judge(&none, ET_INTERVAL_USER);
	ok(isnan(e.mean) && isnan(e.worst), "no run, no error");
}

static void test_record(void)
{
	static const double told[] = { 0, 1e7, 2e7, 3e7 };
	struct et_experiment *e = et_lab_experiment_new();
	struct et_interval_accuracy a;
	struct et_error err = { 0 };

	ok(et_interval_accuracy_read(e, &a, &err) < 0, "an empty record is refused");
	et_lab_series_add_single(e, "truth", 2, 10000000, 9.9e6);
	ok(et_interval_accuracy_read(e, &a, &err) < 0, "so is one of another lab");
	et_lab_series_add_single(e, "truth-user", 2, 10000000, 4e6);
	for (int m = 0; m < ET_INTERVAL_METHODS; m++)
		et_lab_series_add_single(e, et_interval_method_names[m], 2, 10000000, told[m]);
	ok(et_interval_accuracy_read(e, &a, &err) == 0 && a.n_cells == 1, "one case");
	ok(a.cells[0].n_runs == 1 && a.cells[0].runs[0].truth_ns == 9.9e6 &&
			a.cells[0].runs[0].reported_ns[ET_INTERVAL_USER] == 3e7,
		"its run");
	et_interval_accuracy_free(&a);
	e->commands[3].n_samples = 0;
	ok(et_interval_accuracy_read(e, &a, &err) == 0 && a.cells[0].n_runs == 0,
		"a run that lacks a figure is left out");
	et_interval_accuracy_free(&a);
	et_experiment_free(e);
}

int main(void)
{
	test_closed_form();
	test_stretches();
	test_judge();
	test_record();
	return tap_done();
}
