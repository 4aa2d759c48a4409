/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/kbest_accuracy.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "lab/lab_series.h"
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

static void read_cell(
	const struct et_experiment *e, const struct et_command *counter, struct et_accuracy_cell *c)
{
	const struct et_command *wall =
		et_lab_series_find(e, "gettimeofday", c->load, c->length_ns);
	const struct et_command *truth = et_lab_series_find(e, "truth", c->load, c->length_ns);
	const struct et_command *met = et_lab_series_find(e, "ticks-met", c->load, c->length_ns);
	const struct et_command *ours = et_lab_series_find(e, "etalon", c->load, c->length_ns);
	const char *converged = ours ? et_lab_series_parameter(ours, "converged") : NULL;

	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&counter->samples);
	c->calls = et_calloc(counter->samples.n, sizeof(*c->calls));
	for (size_t i = 0; i < counter->samples.n; i++) {
		uint64_t cpu_ns = et_sample_reader_at(&r, i)->measured.cpu_ns;
		struct et_timed_call call = { .counter_ns = et_lab_series_at(counter, i),
			.wall_ns = et_lab_series_at(wall, i),
			.cpu_ns = (double)cpu_ns,
			.truth_ns = et_lab_series_at(truth, i),
			.ticks_met = fmax(et_lab_series_at(met, i), 0) };
		if (cpu_ns != ET_UNKNOWN && call.counter_ns >= 0 && call.wall_ns >= 0 &&
			call.truth_ns > 0)
			c->calls[c->n_calls++] = call;
	}
	c->fit_ns = et_lab_series_value(e, "fit", c->load, c->length_ns);
	c->fit_error_ns = et_lab_series_value(e, "fit-error", c->load, c->length_ns);
	c->ours_ns = et_lab_series_at(ours, 0);
	c->ours_error_ns = et_lab_series_value(e, "etalon-doubt", c->load, c->length_ns);
	c->ours_truth_ns = et_lab_series_value(e, "etalon-truth", c->load, c->length_ns);
	c->ours_converged = converged && !strcmp(converged, "yes");
}

static double number_of(const struct et_command *c, const char *name)
{
	const char *text = et_lab_series_parameter(c, name);
	double x;

	return text && et_parse_double(name, text, &x, NULL) == 0 ? x : NAN;
}

static void read_line(const struct et_command *c, struct et_accuracy_line *out)
{
	*out = (struct et_accuracy_line){
		.slope_ns = number_of(c, "line_slope_ns"),
		.intercept_ns = number_of(c, "line_intercept_ns"),
		.max_error = number_of(c, "line_max_error"),
		.r_from = number_of(c, "line_r_from"),
		.r_to = number_of(c, "line_r_to"),
	};
}

int et_kbest_accuracy_read(
	const struct et_experiment *e, struct et_kbest_accuracy *out, struct et_error *err)
{
	struct et_kbest_accuracy a = { .epsilon = e->plan.epsilon,
		.k = e->plan.k >= 1 && e->plan.k <= ET_ACCURACY_MAX_K ? e->plan.k : 3 };

	a.tick_ns = et_lab_series_value(e, "timer-interval", 0, 0);
	a.cost_ns = et_lab_series_value(e, "timer-cost", 0, 0);
	if (isnan(a.tick_ns) || isnan(a.cost_ns))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s was not made by etalon lab kbest-accuracy", e->id);
	read_line(et_lab_series_find(e, "timer-interval", 0, 0), &a.line);
	a.cells = et_calloc(e->n_commands, sizeof(*a.cells));
	for (size_t i = 0; i < e->n_commands; i++) {
		struct et_accuracy_cell *c = &a.cells[a.n_cells];
		if (!et_lab_series_case(&e->commands[i], "counter", &c->load, &c->length_ns))
			continue;
		read_cell(e, &e->commands[i], c);
		a.n_cells++;
	}
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
