/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/interval_accuracy.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

const char *const et_interval_method_names[] = { "ticks", "times", "getrusage", "getrusage-user",
	NULL };

static double told(const struct et_interval_run *r, enum et_interval_method method)
{
	switch (method) {
	case ET_INTERVAL_TICKS:
		return r->ticks_ns;
	case ET_INTERVAL_TIMES:
		return r->times_ns;
	case ET_INTERVAL_RUSAGE:
		return r->rusage_ns;
	default:
		return r->rusage_user_ns;
	}
}

struct et_interval_error et_interval_judge(
	const struct et_interval_cell *c, enum et_interval_method method)
{
	struct et_interval_error e = { NAN, NAN };
	double sum = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct et_interval_run *r = &c->runs[i];
		double truth = method == ET_INTERVAL_USER ? r->truth_user_ns : r->truth_ns;
		double error = told(r, method) / truth - 1;
		sum += error;
		if (i == 0 || fabs(error) > fabs(e.worst))
			e.worst = error;
	}
	if (c->n_runs)
		e.mean = sum / (double)c->n_runs;
	return e;
}

double et_interval_count(const double *from, const double *to, size_t n, double tick, double phase)
{
	double count = 0;

	/* Ticks before x: the smallest k with phase + k tick >= x. */
	for (size_t i = 0; i < n; i++)
		count += ceil((to[i] - phase) / tick) - ceil((from[i] - phase) / tick);
	return count * tick;
}

void et_interval_accuracy_free(struct et_interval_accuracy *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		free(a->cells[i].runs);
	free(a->cells);
	*a = (struct et_interval_accuracy){ 0 };
}
