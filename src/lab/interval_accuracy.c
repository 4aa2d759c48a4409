/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/interval_accuracy.h"
#include "base/alloc.h"
#include "lab/lab_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

const char *const et_interval_method_names[] = { "ticks", "times", "getrusage", "getrusage-user",
	NULL };

double et_interval_error_of(const struct et_interval_run *r, enum et_interval_method method)
{
	double truth = method == ET_INTERVAL_USER ? r->truth_user_ns : r->truth_ns;

	return r->reported_ns[method] / truth - 1;
}

struct et_interval_error et_interval_judge(
	const struct et_interval_cell *c, enum et_interval_method method)
{
	struct et_interval_error e = { NAN, NAN, NAN, NAN };
	double sum = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		double error = et_interval_error_of(&c->runs[i], method);
		sum += error;
		if (i == 0 || fabs(error) > fabs(e.worst))
			e.worst = error;
		e.least = fmin(e.least, error); /* these ignore NaN */
		e.most = fmax(e.most, error);
	}
	if (c->n_runs)
		e.mean = sum / (double)c->n_runs;
	return e;
}

double et_interval_bias(
	const struct et_interval_accuracy *a, unsigned load, enum et_interval_method method)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *c = &a->cells[i];
		/* By the length of the case: its runs are a hair shorter or longer. */
		if (c->load != load || (double)c->length_ns < ET_INTERVAL_LONG_NS)
			continue;
		for (size_t k = 0; k < c->n_runs; k++) {
			sum += et_interval_error_of(&c->runs[k], method);
			n++;
		}
	}
	return n > 0 ? sum / n : NAN;
}

static void read_cell(
	const struct et_experiment *e, const struct et_command *truth, struct et_interval_cell *c)
{
	const struct et_command *user = et_lab_series_find(e, "truth-user", c->load, c->length_ns);
	const struct et_command *reported[ET_INTERVAL_METHODS];

	for (int m = 0; m < ET_INTERVAL_METHODS; m++)
		reported[m] =
			et_lab_series_find(e, et_interval_method_names[m], c->load, c->length_ns);
	c->runs = et_calloc(truth->samples.n, sizeof(*c->runs));
	for (size_t i = 0; i < truth->samples.n; i++) {
		struct et_interval_run *r = &c->runs[c->n_runs];
		bool whole = true;
		r->truth_ns = et_lab_series_at(truth, i);
		r->truth_user_ns = et_lab_series_at(user, i);
		for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
			r->reported_ns[m] = et_lab_series_at(reported[m], i);
			whole = whole && r->reported_ns[m] >= 0;
		}
		c->n_runs += whole && r->truth_ns > 0 && r->truth_user_ns > 0;
	}
}

int et_interval_accuracy_read(
	const struct et_experiment *e, struct et_interval_accuracy *out, struct et_error *err)
{
	struct et_interval_accuracy a = { 0 };

	a.cells = et_calloc(e->n_commands, sizeof(*a.cells));
	for (size_t i = 0; i < e->n_commands; i++) {
		struct et_interval_cell *c = &a.cells[a.n_cells];
		if (!et_lab_series_case(&e->commands[i], "truth", &c->load, &c->length_ns) ||
			!et_lab_series_find(e, "truth-user", c->load, c->length_ns))
			continue;
		read_cell(e, &e->commands[i], c);
		a.n_cells++;
	}
	if (!a.n_cells) {
		et_interval_accuracy_free(&a);
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s was not made by etalon lab interval-accuracy", e->id);
	}
	*out = a;
	return 0;
}

void et_interval_accuracy_free(struct et_interval_accuracy *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		free(a->cells[i].runs);
	free(a->cells);
	*a = (struct et_interval_accuracy){ 0 };
}
