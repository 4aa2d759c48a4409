/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series of numbers with its name, its unit and its origin. */
#pragma once

#include "model/experiment/experiment.h"

struct et_series {
	char *name;
	double *values; /* finite, in order of execution */
	size_t n, cap;
	enum et_unit unit;
	const struct et_experiment *experiment; /* that it is a command of, or NULL */
	uint32_t command;
	const char *origin; /* the file or experiment as the user named it; not owned; or NULL */
};

/* Some series, and the experiments that they came from. */
struct et_series_set {
	struct et_series *list;
	size_t n, cap;
	struct et_experiment **experiments; /* owned */
	size_t n_experiments, cap_experiments;
};

/* Adds a series without values. The pointer is valid until the next call. */
struct et_series *et_series_add(struct et_series_set *set, const char *name, enum et_unit unit);
void et_series_append(struct et_series *s, double value);
/*
 * Adds each command of the experiment, which the set owns from now on: the values of its metric
 * over the samples that count (see et_command_arrangement).
 */
void et_series_add_experiment(struct et_series_set *set, struct et_experiment *e);
/* Fills the series of an experiment of the set anew, after its metric was changed. */
void et_series_refill(struct et_series_set *set, const struct et_experiment *e);
/* Removes the series at this place of the list. */
void et_series_remove(struct et_series_set *set, size_t at);
void et_series_set_free(struct et_series_set *set); /* what it owns */

/* Points that a curve is fitted to: sizes of an input and the times that it took, with a name. */

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
