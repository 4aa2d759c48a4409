/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/figure.h"
#include "base/parse.h"

struct et_experiment *et_figures_new(const char *name)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->protocol = ET_PROTOCOL_RAW;
	e->metric = ET_METRIC_ELAPSED;
	e->plan.order = ET_ORDER_SEQUENTIAL;
	e->plan.level = 0.95;
	et_experiment_add_command(
		e, et_asprintf("lab %s", name), et_strv_of("etalon", "lab", name, NULL));
	return e;
}

void et_figure_add(
	struct et_experiment *e, const char *name, uint32_t load, uint64_t length_ns, double value)
{
	ET_GROW(e->figures, e->n_figures, e->figures_room);
	e->figures[e->n_figures++] = (struct et_figure){ et_strdup(name), load, length_ns,
		fabs(value) < (double)INT64_MAX ? value : NAN };
}

const struct et_figure *et_figure_next(
	const struct et_experiment *e, const char *name, const struct et_figure *after)
{
	for (size_t i = after ? (size_t)(after - e->figures) + 1 : 0; i < e->n_figures; i++) {
		if (!strcmp(e->figures[i].name, name))
			return &e->figures[i];
	}
	return NULL;
}

bool et_figure_exists(const struct et_experiment *e, const char *name)
{
	return et_figure_next(e, name, NULL);
}

double *et_figure_values(const struct et_experiment *e, const char *name, uint32_t load,
	uint64_t length_ns, size_t *n)
{
	double *values = NULL;
	size_t room = 0;

	*n = 0;
	for (const struct et_figure *f = NULL; (f = et_figure_next(e, name, f));) {
		if (f->load != load || f->length_ns != length_ns)
			continue;
		ET_GROW(values, *n, room);
		values[(*n)++] = f->value;
	}
	return values ? values : et_calloc(1, sizeof(*values));
}

double et_figure_value(
	const struct et_experiment *e, const char *name, uint32_t load, uint64_t length_ns)
{
	for (const struct et_figure *f = NULL; (f = et_figure_next(e, name, f));) {
		if (f->load == load && f->length_ns == length_ns)
			return f->value;
	}
	return NAN;
}

void et_figures_free(struct et_experiment *e)
{
	for (size_t i = 0; i < e->n_figures; i++)
		free(e->figures[i].name);
	free(e->figures);
}
