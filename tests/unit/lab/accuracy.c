/* SPDX-License-Identifier: GPL-3.0-or-later */
/* K-best over calls with a made-up truth, and the experiment from which the tables are computed. */
#include "base/alloc.h"
#include "lab/cache_effects.h"
#include "lab/kbest_accuracy.h"
#include "lab/lab_series.h"
#include "sample_of.h"
#include "tap.h"

/* Calls of 1 ms; the first was interrupted, and the third met a timer interrupt. */
static const struct et_timed_call calls[] = {
	{ 5000000, 5000100, 1100000, 1000000, 0 },
	{ 1002000, 1003000, 1002000, 1001000, 0 },
	{ 1000500, 1001000, 4100000, 1000100, 1 },
	{ 1003000, 1004000, 1003000, 1002000, 0 },
	{ 1000900, 1000000, 1000900, 1000400, 0 },
};

static struct et_scheme_result judge(
	enum et_timed_by by, bool compensated, unsigned k, double epsilon)
{
	struct et_accuracy_cell c = { .calls = (struct et_timed_call *)calls, .n_calls = 5 };
	struct et_kbest_accuracy a = { .tick_ns = 4e6, .cost_ns = 300, .epsilon = epsilon };
	struct et_scheme s = { by, compensated, k };

	return et_scheme_judge(&s, &c, &a);
}

static void test_schemes(void)
{
	struct et_scheme_result v = judge(ET_TIMED_COUNTER, false, 1, 0.001);

	ok(v.calls == 1 && v.converged && v.ns == 5000000 && v.truth_ns == 1000000,
		"scheme: K=1 takes the first call");
	v = judge(ET_TIMED_COUNTER, false, 2, 0.002);
	ok(v.calls == 3 && v.converged && v.ns == 1000500,
		"scheme: K=2 at 0.2 %% needs three calls");
	ok(v.truth_ns == 1000100, "scheme: the truth is that of the chosen call");
	v = judge(ET_TIMED_COUNTER, false, 3, 0.001);
	ok(v.calls == 5 && !v.converged && v.ns == 1000500,
		"scheme: K=3 at 0.1 %% does not converge and returns the fastest call");
	v = judge(ET_TIMED_COUNTER, true, 2, 0.002);
	ok(v.ns == 1000200, "scheme: one timer interrupt that was met subtracts its cost");
	v = judge(ET_TIMED_COUNTER, true, 1, 0.001);
	ok(v.ns == 5000000, "scheme: nothing is subtracted for interrupts that were not met");
	v = judge(ET_TIMED_COUNTER, false, 3, 0.01);
	near(v.predicted, 1003000.0 / 1000500 - 1, 1e-12, 0,
		"scheme: the predicted error is that of the K-th fastest call");
	v = judge(ET_TIMED_COUNTER, false, 5, 0.001);
	near(v.predicted, 5000000.0 / 1000500 - 1, 1e-12, 0,
		"scheme: it is large if an interrupted call is among the K fastest");
	v = judge(ET_TIMED_WALL, false, 3, 0.01);
	ok(v.converged && v.calls == 4 && v.ns == 1001000, "scheme: K=3 by gettimeofday");
	struct et_accuracy_cell none = { 0 };
	struct et_kbest_accuracy a = { .epsilon = 0.001 };
	struct et_scheme s = { ET_TIMED_COUNTER, true, 3 };
	v = et_scheme_judge(&s, &none, &a);
	ok(v.calls == 0 && !v.converged && isnan(v.ns) && isnan(v.truth_ns),
		"scheme: without calls the result is NaN");
}

static void add_calls(struct et_experiment *e, unsigned load, uint64_t length_ns)
{
	uint32_t counter = et_lab_series_add(e, "counter", load, length_ns);
	uint32_t wall = et_lab_series_add(e, "gettimeofday", load, length_ns);
	uint32_t truth = et_lab_series_add(e, "truth", load, length_ns);
	uint32_t met = et_lab_series_add(e, "ticks-met", load, length_ns);

	for (int i = 0; i < 5; i++) {
		et_lab_series_add_time(e, met, calls[i].ticks_met, NAN);
		et_lab_series_add_time(e, counter, calls[i].counter_ns, calls[i].cpu_ns);
		et_lab_series_add_time(e, wall, calls[i].wall_ns, NAN);
		et_lab_series_add_time(e, truth, calls[i].truth_ns, NAN);
	}
}

static void test_record(void)
{
	struct et_experiment *e = et_lab_experiment_new();
	struct et_kbest_accuracy a;
	struct et_cache_effects c;
	struct et_error err = { 0 };

	e->plan.epsilon = 0.001;
	ok(et_kbest_accuracy_read(e, &a, &err) < 0 && err.exit == ET_EXIT_USAGE,
		"kbest-accuracy: an empty experiment is refused");
	ok(et_cache_effects_read(e, &c, &err) < 0, "cache: an empty experiment is refused");
	et_lab_series_add_single(e, "timer-interval", 0, 0, 4e6);
	et_lab_series_add_single(e, "timer-cost", 0, 0, 300.4);
	add_calls(e, 11, 1000000);
	et_lab_series_add_single(e, "fit", 11, 1000000, 999000);
	uint32_t ours = et_lab_series_add(e, "etalon", 11, 1000000);
	et_lab_series_add_parameter(e, ours, "converged", "yes");
	et_lab_series_add_time(e, ours, 1000700, NAN);
	et_lab_series_add_single(e, "etalon-truth", 11, 1000000, 1000100);
	add_calls(e, 2, 1000000);
	ok(et_kbest_accuracy_read(e, &a, &err) == 0 && a.n_cells == 2,
		"kbest-accuracy: two cases are read");
	ok(a.tick_ns == 4e6 && a.cost_ns == 300, "kbest-accuracy: times are whole nanoseconds");
	const struct et_accuracy_cell *x = &a.cells[0], *y = &a.cells[1];
	ok(x->load == 11 && x->length_ns == 1000000 && y->load == 2,
		"kbest-accuracy: load and length of the cases");
	ok(x->n_calls == 5 && x->calls[2].counter_ns == 1000500 && x->calls[2].cpu_ns == 4100000 &&
			x->calls[2].wall_ns == 1001000 && x->calls[2].truth_ns == 1000100 &&
			x->calls[2].ticks_met == 1 && x->calls[1].ticks_met == 0,
		"kbest-accuracy: the calls are read as they were added");
	ok(x->fit_ns == 999000 && isnan(x->fit_error_ns),
		"kbest-accuracy: a missing series is NaN");
	ok(x->ours_converged && x->ours_ns == 1000700 && isnan(x->ours_error_ns),
		"kbest-accuracy: the result of libetalon");
	ok(!y->ours_converged && isnan(y->ours_ns),
		"kbest-accuracy: a case without a result of libetalon");
	near(et_accuracy_share(&a, 2), 8206900.0 / 9006400, 1e-3, 0,
		"kbest-accuracy: the share of the CPU under a load");
	ok(isnan(et_accuracy_share(&a, 7)),
		"kbest-accuracy: the share under a load not measured is NaN");
	et_kbest_accuracy_free(&a);

	/* A truth that is missing or 0, which another tool may have written. */
	sample_of(&e->commands[4], 1)->measured.elapsed_ns = 0;
	e->commands[4].samples.n = 4;
	ok(et_kbest_accuracy_read(e, &a, &err) == 0 && a.cells[0].n_calls == 3,
		"kbest-accuracy: calls without a truth are omitted");
	et_kbest_accuracy_free(&a);
	et_experiment_free(e);
}

static void test_cases(void)
{
	struct et_experiment *e = et_lab_experiment_new();
	unsigned load = 0;
	uint64_t ns = 0;

	uint32_t i = et_lab_series_add(e, "truth", 3, 500);
	ok(et_lab_series_case(&e->commands[i], "truth", &load, &ns) && load == 3 && ns == 500,
		"series: load and length of a series");
	ok(!et_lab_series_case(&e->commands[i], "counter", &load, &ns),
		"series: a series of another clock");
	ok(isnan(et_lab_series_value(e, "truth", 3, 500)) &&
			isnan(et_lab_series_value(e, "x", 0, 0)),
		"series: without a time the value is NaN");
	et_lab_series_add_time(e, i, -5, NAN);
	ok(et_lab_series_value(e, "truth", 3, 500) == 0, "series: a negative time becomes 0");
	free(e->commands[i].parameters[1].value);
	e->commands[i].parameters[1].value = et_strdup("eleven");
	ok(!et_lab_series_case(&e->commands[i], "truth", &load, &ns),
		"series: a load that is not a number is refused");
	et_experiment_free(e);
}

int main(void)
{
	test_schemes();
	test_record();
	test_cases();
	return tap_done();
}
