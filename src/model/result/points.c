/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/points.h"
#include "base/alloc.h"

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
