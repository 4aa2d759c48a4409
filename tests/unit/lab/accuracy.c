/* SPDX-License-Identifier: GPL-3.0-or-later */
/* K-best over calls with a made-up truth, and the experiment from which the tables are computed. */
#include "base/base.h"
#include "base/parse.h"
#include "lab/cache_effects.h"
#include "lab/kbest_accuracy.h"
#include "lab/old_series.h"
#include "model/experiment/field.h"
#include "model/experiment/figure.h"
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
	for (int i = 0; i < 5; i++) {
		et_figure_add(e, "ticks-met", load, length_ns, calls[i].ticks_met);
		et_figure_add(e, "counter", load, length_ns, calls[i].counter_ns);
		et_figure_add(e, "cpu", load, length_ns, calls[i].cpu_ns);
		et_figure_add(e, "gettimeofday", load, length_ns, calls[i].wall_ns);
		et_figure_add(e, "truth", load, length_ns, calls[i].truth_ns);
	}
}

static struct et_figure *figure_of(struct et_experiment *e, const char *name, int number)
{
	const struct et_figure *f = et_figure_next(e, name, NULL);

	while (number-- > 0)
		f = et_figure_next(e, name, f);
	return &e->figures[f - e->figures];
}

static void test_record(void)
{
	struct et_experiment *e = et_figures_new("kbest-accuracy");
	struct et_kbest_accuracy a;
	struct et_cache_effects c;
	struct et_error err = { 0 };

	e->plan.epsilon = 0.001;
	ok(et_kbest_accuracy_read(e, &a, &err) < 0 && err.exit == ET_EXIT_USAGE,
		"kbest-accuracy: an empty experiment is refused");
	ok(et_cache_effects_read(e, &c, &err) < 0, "cache: an empty experiment is refused");
	et_figure_add(e, "timer-interval", 0, 0, 4e6);
	et_figure_add(e, "timer-cost", 0, 0, 300.4);
	add_calls(e, 11, 1000000);
	et_figure_add(e, "fit", 11, 1000000, 999000);
	et_figure_add(e, "etalon", 11, 1000000, 1000700);
	et_figure_add(e, "etalon-doubt", 11, 1000000, INFINITY);
	et_figure_add(e, "converged", 11, 1000000, 1);
	et_figure_add(e, "etalon-truth", 11, 1000000, 1000100);
	add_calls(e, 2, 1000000);
	ok(et_kbest_accuracy_read(e, &a, &err) == 0 && a.n_cells == 2,
		"kbest-accuracy: two cases are read");
	ok(a.tick_ns == 4e6 && a.cost_ns == 300.4, "kbest-accuracy: figures are not rounded");
	const struct et_accuracy_cell *x = &a.cells[0], *y = &a.cells[1];
	ok(x->load == 11 && x->length_ns == 1000000 && y->load == 2,
		"kbest-accuracy: load and length of the cases");
	ok(x->n_calls == 5 && x->calls[2].counter_ns == 1000500 && x->calls[2].cpu_ns == 4100000 &&
			x->calls[2].wall_ns == 1001000 && x->calls[2].truth_ns == 1000100 &&
			x->calls[2].ticks_met == 1 && x->calls[1].ticks_met == 0,
		"kbest-accuracy: the calls are read as they were added");
	ok(x->fit_ns == 999000 && isnan(x->fit_error_ns),
		"kbest-accuracy: a missing figure is NaN");
	ok(x->ours_converged && x->ours_ns == 1000700 && isnan(x->ours_error_ns),
		"kbest-accuracy: the result of libetalon, whose infinite error is not known");
	ok(!y->ours_converged && isnan(y->ours_ns),
		"kbest-accuracy: a case without a result of libetalon");
	near(et_accuracy_share(&a, 2), 8206900.0 / 9006400, 1e-3, 0,
		"kbest-accuracy: the share of the CPU under a load");
	ok(isnan(et_accuracy_share(&a, 7)),
		"kbest-accuracy: the share under a load not measured is NaN");
	et_kbest_accuracy_free(&a);

	/* A truth that is missing or 0, which another tool may have written. */
	figure_of(e, "truth", 1)->value = 0;
	figure_of(e, "truth", 4)->value = NAN;
	ok(et_kbest_accuracy_read(e, &a, &err) == 0 && a.cells[0].n_calls == 3,
		"kbest-accuracy: calls without a truth are omitted");
	et_kbest_accuracy_free(&a);
	et_experiment_free(e);
}

static void add_old(struct et_experiment *e, const char *clock, const char *load, uint64_t ns)
{
	struct et_command *c =
		et_experiment_add_command(e, et_strdup(clock), et_strv_of(clock, NULL));
	struct et_sample s = { .place = { .command = (uint32_t)e->n_commands - 1 } };

	et_fields_set_missing(et_sample_fields, &s);
	c->n_parameters = load ? 4 : 1;
	c->parameters = et_calloc(4, sizeof(*c->parameters));
	c->parameters[0] = (struct et_parameter){ et_strdup("clock"), et_strdup(clock) };
	if (load) {
		c->parameters[1] = (struct et_parameter){ et_strdup("load"), et_strdup(load) };
		c->parameters[2] =
			(struct et_parameter){ et_strdup("length_ns"), et_strdup("500") };
		c->parameters[3] =
			(struct et_parameter){ et_strdup("converged"), et_strdup("yes") };
	}
	s.measured.elapsed_ns = ns;
	s.measured.cpu_ns = load ? 7 : ET_UNKNOWN;
	et_experiment_add(e, &s);
}

/* Earlier versions stored a series of values as the samples of a command. */
static void test_old(void)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	ok(!et_old_series_only(e), "series: an experiment without commands has none");
	add_old(e, "counter", "3", 480);
	add_old(e, "etalon-A-cold-doubt", NULL, INT64_MAX);
	ok(et_old_series_only(e), "series: commands that name themselves are series");
	et_old_series_read(e);
	ok(et_figure_value(e, "counter", 3, 500) == 480 && et_figure_value(e, "cpu", 3, 500) == 7,
		"series: a sample becomes figures of its load and length");
	ok(et_figure_value(e, "converged", 3, 500) == 1, "series: so does a parameter");
	ok(et_figure_exists(e, "etalon-A-cold-doubt") &&
			isnan(et_figure_value(e, "etalon-A-cold-doubt", 0, 0)),
		"series: the greatest number is a figure that is not known");
	size_t n = e->n_figures;
	et_old_series_read(e);
	ok(e->n_figures == n, "series: they are read once");
	et_experiment_add_command(e, et_strdup("true"), et_strv_of("true", NULL));
	ok(!et_old_series_only(e), "series: a program is none");
	et_experiment_free(e);
}

int main(void)
{
	test_schemes();
	test_record();
	test_old();
	return tap_done();
}
