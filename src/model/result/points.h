/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that a curve is fitted to: sizes of an input and the times that it took, with a name. */
#pragma once

#include "model/sample/metric.h"

/* Sizes, and times in the unit of a table: beyond these, powers would overflow. */
#define ET_POINTS_LEAST 1e-9
#define ET_POINTS_MOST 1e18

struct et_points {
	char *name;
	double *x, *y; /* finite; y in ns if they are times */
	size_t n, cap_x, cap_y;
	bool times;                         /* y are times in ns; otherwise in any unit */
	const struct et_metric_row *metric; /* of an experiment, or NULL */
};

struct et_points_set {
	struct et_points *list;
	size_t n, cap;
};

/* Adds a series without points; the name is copied. Valid until the next call. */
struct et_points *et_points_add(struct et_points_set *set, const char *name);
void et_points_append(struct et_points *p, double x, double y);
void et_points_set_free(struct et_points_set *set); /* what it owns */
