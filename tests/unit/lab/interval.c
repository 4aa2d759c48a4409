/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The errors of made-up runs. */
#include "lab/interval_accuracy.h"
#include "model/experiment/figure.h"
#include "tap.h"

static void test_judge(void)
{
	struct et_interval_run runs[] = {
		{ 10e6, 5e6, { 0, 10e6, 10.1e6, 10e6 } },
		{ 10e6, 5e6, { 20e6, 0, 10.3e6, 4e6 } },
	};
	struct et_interval_cell c = { .runs = runs, .n_runs = 2 }, none = { 0 };

	struct et_interval_error e = et_interval_judge(&c, ET_INTERVAL_TICKS);
	ok(e.mean == 0 && fabs(e.worst) == 1,
		"judge: errors of +100 %% and -100 %% have mean 0 and worst 100 %%");
	e = et_interval_judge(&c, ET_INTERVAL_TIMES);
	ok(e.mean == -0.5 && e.worst == -1,
		"judge: times() that reports nothing in one of two runs");
	e = et_interval_judge(&c, ET_INTERVAL_RUSAGE);
	near(e.mean, 0.02, 1e-9, 0, "judge: mean error of getrusage()");
	near(e.worst, 0.03, 1e-9, 0, "judge: worst error of getrusage()");
	e = et_interval_judge(&c, ET_INTERVAL_USER);
	near(e.worst, 1, 1e-9, 0, "judge: user time is compared with the true user time");
	near(e.least, -0.2, 1e-9, 0, "judge: the least error has its sign");
	near(e.most, 1, 1e-9, 0, "judge: the greatest error");
	e = et_interval_judge(&none, ET_INTERVAL_USER);
	ok(isnan(e.mean) && isnan(e.worst), "judge: without runs the errors are NaN");
}

static void test_bias(void)
{
	struct et_interval_run brief[] = { { 99e6, 50e6, { 200e6, 0, 0, 0 } } };
	struct et_interval_run longer[] = { { 100e6, 50e6, { 110e6, 0, 0, 0 } },
		{ 200e6, 50e6, { 206e6, 0, 0, 0 } } };
	struct et_interval_run hair[] = { { 99.9e6, 50e6, { 89.91e6, 0, 0, 0 } },
		{ 100.1e6, 50e6, { 120.12e6, 0, 0, 0 } } };
	struct et_interval_cell cells[] = { { 1, 50000000, brief, 1 }, { 1, 200000000, longer, 2 },
		{ 11, 50000000, brief, 1 }, { 1, 100000000, hair, 2 } };
	struct et_interval_accuracy a = { cells, 4 };

	/* +10, +3, -10 and +20 % */
	near(et_interval_bias(&a, 1, ET_INTERVAL_TICKS), 0.0575, 1e-9, 0,
		"bias: the mean of all runs of the cases of 100 ms or longer");
	ok(isnan(et_interval_bias(&a, 11, ET_INTERVAL_TICKS)),
		"bias: a load without long runs has none");
}

static void test_record(void)
{
	static const double told[] = { 0, 1e7, 2e7, 3e7 };
	struct et_experiment *e = et_figures_new("interval-accuracy");
	struct et_interval_accuracy a;
	struct et_error err = { 0 };

	ok(et_interval_accuracy_read(e, &a, &err) < 0, "read: an empty experiment is refused");
	et_figure_add(e, "truth", 2, 10000000, 9.9e6);
	ok(et_interval_accuracy_read(e, &a, &err) < 0,
		"read: an experiment of another command of lab is refused");
	et_figure_add(e, ET_INTERVAL_CASE, 2, 10000000, 1);
	et_figure_add(e, "truth-user", 2, 10000000, 4e6);
	for (int m = 0; m < ET_INTERVAL_METHODS; m++)
		et_figure_add(e, et_interval_method_names[m], 2, 10000000, told[m]);
	ok(et_interval_accuracy_read(e, &a, &err) == 0 && a.n_cells == 1, "read: one case");
	ok(a.cells[0].n_runs == 1 && a.cells[0].runs[0].truth_ns == 9.9e6 &&
			a.cells[0].runs[0].reported_ns[ET_INTERVAL_USER] == 3e7,
		"read: the run of the case");
	et_interval_accuracy_free(&a);
	for (size_t i = 0; i < e->n_figures; i++) {
		if (!strcmp(e->figures[i].name, et_interval_method_names[1]))
			e->figures[i].value = NAN;
	}
	ok(et_interval_accuracy_read(e, &a, &err) == 0 && a.cells[0].n_runs == 0,
		"read: a run that lacks a figure is omitted");
	et_interval_accuracy_free(&a);
	et_experiment_free(e);
}

int main(void)
{
	test_judge();
	test_bias();
	test_record();
	return tap_done();
}
