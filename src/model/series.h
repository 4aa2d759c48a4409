/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series of numbers with its name and unit, and where it came from. */
#ifndef ET_MODEL_SERIES_H
#define ET_MODEL_SERIES_H

#include "model/experiment.h"

struct et_series {
	char *name;
	double *values; /* finite, in order of execution */
	size_t n, cap;
	enum et_unit unit;
	const struct et_experiment *experiment; /* of which it is a command, or NULL */
	uint32_t command;
	const char *origin; /* file or experiment as the user named it, not owned; or NULL */
};

/* Some series, and the experiments they came from. */
struct et_series_set {
	struct et_series *list;
	size_t n, cap;
	struct et_experiment **experiments; /* owned */
	size_t n_experiments, cap_experiments;
};

/* A new series without values; valid until the next is added. */
struct et_series *et_series_add(struct et_series_set *set, const char *name, enum et_unit unit);
void et_series_append(struct et_series *s, double value);
/*
 * Each command of the experiment, which the set owns from now on: the values of the metric over
 * what counts (runs alone, duets where there were no others), in nanoseconds.
 */
void et_series_add_experiment(
	struct et_series_set *set, struct et_experiment *e, enum et_metric metric);
void et_series_set_free(struct et_series_set *set); /* what it owns */

#endif
