/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/series.h"

struct et_series *et_series_add(struct et_series_set *set, const char *name, enum et_unit unit)
{
	ET_GROW(set->list, set->n, set->cap);
	struct et_series *s = &set->list[set->n++];
	memset(s, 0, sizeof(*s));
	s->name = et_strdup(name);
	s->unit = unit;
	return s;
}

void et_series_append(struct et_series *s, double value)
{
	ET_GROW(s->values, s->n, s->cap);
	s->values[s->n++] = value;
}

static void fill(struct et_series *s)
{
	const struct et_experiment *e = s->experiment;
	const struct et_command *c = &e->commands[s->command];

	free(s->values);
	s->unit = et_metrics[e->metric].unit;
	s->values = et_command_values(c, e->metric, et_command_arrangement(c), &s->n);
}

void et_series_add_experiment(struct et_series_set *set, struct et_experiment *e)
{
	ET_GROW(set->experiments, set->n_experiments, set->cap_experiments);
	set->experiments[set->n_experiments++] = e;
	for (uint32_t i = 0; i < e->n_commands; i++) {
		struct et_series *s = et_series_add(set, e->commands[i].name, ET_UNIT_NONE);

		s->experiment = e;
		s->command = i;
		fill(s);
	}
}

void et_series_refill(struct et_series_set *set, const struct et_experiment *e)
{
	for (size_t i = 0; i < set->n; i++) {
		if (set->list[i].experiment == e)
			fill(&set->list[i]);
	}
}

void et_series_remove(struct et_series_set *set, size_t at)
{
	free(set->list[at].name);
	free(set->list[at].values);
	set->n--;
	memmove(&set->list[at], &set->list[at + 1], (set->n - at) * sizeof(*set->list));
}

void et_series_set_free(struct et_series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->list[i].name);
		free(set->list[i].values);
	}
	for (size_t i = 0; i < set->n_experiments; i++)
		et_experiment_free(set->experiments[i]);
	free(set->experiments);
	free(set->list);
}

/* --- points --- */

struct et_points *et_points_add(struct et_points_set *set, const char *name)
{
	ET_GROW(set->list, set->n, set->cap);
	struct et_points *p = &set->list[set->n++];
	*p = (struct et_points){ .name = et_strdup(name) };
	return p;
}

void et_points_append(struct et_points *p, double x, double y)
{
	ET_GROW(p->x, p->n, p->cap_x);
	ET_GROW(p->y, p->n, p->cap_y);
	p->x[p->n] = x;
	p->y[p->n++] = y;
}

void et_points_set_free(struct et_points_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->list[i].name);
		free(set->list[i].x);
		free(set->list[i].y);
	}
	free(set->list);
	*set = (struct et_points_set){ 0 };
}
