/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/interval_accuracy.h"
#include "base/alloc.h"
#include "model/experiment/figure.h"

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

static void read_cell(const struct et_experiment *e, struct et_interval_cell *c)
{
	/* The truth, that of user time, then the methods. */
	double *series[2 + ET_INTERVAL_METHODS] = { NULL };
	size_t n = SIZE_MAX;

	for (size_t i = 0; i < ET_LENGTH(series); i++) {
		const char *name = i == 0   ? "truth"
				   : i == 1 ? "truth-user"
					    : et_interval_method_names[i - 2];
		size_t have;
		series[i] = et_figure_values(e, name, c->load, c->length_ns, &have);
		n = have < n ? have : n;
	}
	c->runs = et_calloc(n, sizeof(*c->runs));
	for (size_t i = 0; i < n; i++) {
		struct et_interval_run *r = &c->runs[c->n_runs];
		bool whole = true;
		r->truth_ns = series[0][i];
		r->truth_user_ns = series[1][i];
		for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
			r->reported_ns[m] = series[2 + m][i];
			whole = whole && r->reported_ns[m] >= 0;
		}
		c->n_runs += whole && r->truth_ns > 0 && r->truth_user_ns > 0;
	}
	for (size_t i = 0; i < ET_LENGTH(series); i++)
		free(series[i]);
}

int et_interval_accuracy_read(
	const struct et_experiment *e, struct et_interval_accuracy *out, struct et_error *err)
{
	struct et_interval_accuracy a = { 0 };
	size_t room = 0;

	for (const struct et_figure *f = NULL; (f = et_figure_next(e, ET_INTERVAL_CASE, f));) {
		ET_GROW(a.cells, a.n_cells, room);
		struct et_interval_cell *c = &a.cells[a.n_cells++];
		*c = (struct et_interval_cell){ .load = f->load, .length_ns = f->length_ns };
		read_cell(e, c);
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
