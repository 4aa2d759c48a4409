/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/kbest_accuracy.h"
#include "base/alloc.h"
#include "model/experiment/figure.h"
#include "num/kbest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const et_timed_by_names[] = { "counter", "gettimeofday", NULL };

static double value_of(const struct et_scheme *s, const struct et_timed_call *call,
	const struct et_kbest_accuracy *a)
{
	double ns = s->by == ET_TIMED_COUNTER ? call->counter_ns : call->wall_ns;

	if (!s->compensated || !(a->cost_ns > 0))
		return ns;
	return fmax(0, ns - call->ticks_met * a->cost_ns);
}

struct et_scheme_result et_scheme_judge(const struct et_scheme *s, const struct et_accuracy_cell *c,
	const struct et_kbest_accuracy *a)
{
	struct et_scheme_result v = { .ns = NAN, .truth_ns = NAN };
	struct et_kbest_set set;

	et_kbest_set_init(&set, s->k);
	while (set.n < c->n_calls && !et_kbest_converged(&set, a->epsilon)) {
		const struct et_timed_call *call = &c->calls[set.n];
		et_kbest_set_add(&set, value_of(s, call, a), call->truth_ns);
	}
	v.converged = et_kbest_converged(&set, a->epsilon);
	v.calls = set.n;
	v.predicted = et_kbest_spread(&set);
	if (set.n) {
		v.ns = set.value[0];
		v.truth_ns = set.mark[0];
	}
	return v;
}

double et_accuracy_share(const struct et_kbest_accuracy *a, unsigned load)
{
	double cpu = 0, elapsed = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		for (size_t j = 0; c->load == load && j < c->n_calls; j++) {
			cpu += c->calls[j].cpu_ns;
			elapsed += c->calls[j].counter_ns;
		}
	}
	return elapsed > 0 ? cpu / elapsed : NAN;
}

/* --- reading an experiment --- */

/* The values of a series of the cell: at most n, and NaN for those that it lacks. */
static double *read_series(
	const struct et_experiment *e, const struct et_accuracy_cell *c, const char *name, size_t n)
{
	size_t have;
	double *x = et_figure_values(e, name, c->load, c->length_ns, &have);

	x = et_realloc(x, n + 1, sizeof(*x));
	for (size_t i = have; i < n; i++)
		x[i] = NAN;
	return x;
}

static void read_cell(const struct et_experiment *e, struct et_accuracy_cell *c)
{
	size_t n;
	ET_AUTO_FREE double *counter = et_figure_values(e, "counter", c->load, c->length_ns, &n);
	ET_AUTO_FREE double *wall = read_series(e, c, "gettimeofday", n);
	ET_AUTO_FREE double *cpu = read_series(e, c, "cpu", n);
	ET_AUTO_FREE double *truth = read_series(e, c, "truth", n);
	ET_AUTO_FREE double *met = read_series(e, c, "ticks-met", n);

	c->calls = et_calloc(n, sizeof(*c->calls));
	for (size_t i = 0; i < n; i++) {
		struct et_timed_call call = { .counter_ns = counter[i],
			.wall_ns = wall[i],
			.cpu_ns = cpu[i],
			.truth_ns = truth[i],
			.ticks_met = fmax(met[i], 0) };
		if (call.cpu_ns >= 0 && call.counter_ns >= 0 && call.wall_ns >= 0 &&
			call.truth_ns > 0)
			c->calls[c->n_calls++] = call;
	}
	c->fit_ns = et_figure_value(e, "fit", c->load, c->length_ns);
	c->fit_error_ns = et_figure_value(e, "fit-error", c->load, c->length_ns);
	c->ours_ns = et_figure_value(e, "etalon", c->load, c->length_ns);
	c->ours_error_ns = et_figure_value(e, "etalon-doubt", c->load, c->length_ns);
	c->ours_truth_ns = et_figure_value(e, "etalon-truth", c->load, c->length_ns);
	c->ours_converged = et_figure_value(e, "converged", c->load, c->length_ns) > 0;
}

static void read_line(const struct et_experiment *e, struct et_accuracy_line *out)
{
	*out = (struct et_accuracy_line){
		.slope_ns = et_figure_value(e, "line_slope_ns", 0, 0),
		.intercept_ns = et_figure_value(e, "line_intercept_ns", 0, 0),
		.max_error = et_figure_value(e, "line_max_error", 0, 0),
		.r_from = et_figure_value(e, "line_r_from", 0, 0),
		.r_to = et_figure_value(e, "line_r_to", 0, 0),
	};
}

/* The figures of a cell follow each other. */
static void read_cells(const struct et_experiment *e, struct et_kbest_accuracy *a)
{
	const struct et_accuracy_cell *last = NULL;
	size_t room = 0;

	for (const struct et_figure *f = NULL; (f = et_figure_next(e, "counter", f));) {
		if (last && last->load == f->load && last->length_ns == f->length_ns)
			continue;
		ET_GROW(a->cells, a->n_cells, room);
		struct et_accuracy_cell *c = &a->cells[a->n_cells++];
		*c = (struct et_accuracy_cell){ .load = f->load, .length_ns = f->length_ns };
		read_cell(e, c);
		last = c;
	}
}

int et_kbest_accuracy_read(
	const struct et_experiment *e, struct et_kbest_accuracy *out, struct et_error *err)
{
	struct et_kbest_accuracy a = { .epsilon = e->plan.epsilon,
		.k = e->plan.k >= 1 && e->plan.k <= ET_ACCURACY_MAX_K ? e->plan.k : 3 };

	a.tick_ns = et_figure_value(e, "timer-interval", 0, 0);
	a.cost_ns = et_figure_value(e, "timer-cost", 0, 0);
	if (isnan(a.tick_ns) || isnan(a.cost_ns))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s was not made by etalon lab kbest-accuracy", e->id);
	read_line(e, &a.line);
	read_cells(e, &a);
	*out = a;
	return 0;
}

void et_kbest_accuracy_free(struct et_kbest_accuracy *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		free(a->cells[i].calls);
	free(a->cells);
	*a = (struct et_kbest_accuracy){ 0 };
}
