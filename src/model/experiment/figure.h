/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of an experiment that are no samples: times, counts and constants that `etalon lab`
 * measured inside its own process. Figures of the same name, load and length are a series, in the
 * order in which they were added.
 */
#pragma once

#include "model/experiment/experiment.h"

struct et_figure {
	char *name;
	uint32_t load; /* competing processes, with this one; 0: there is neither load nor length */
	uint64_t length_ns;
	double value; /* NaN: not known */
};

/* An experiment of `etalon lab NAME` without samples. The caller sets id, host, label; frees it. */
struct et_experiment *et_figures_new(const char *name) __attribute__((malloc, returns_nonnull));
/* A value that is infinite, or beyond 2^63, is not known: no number may stand for it. */
void et_figure_add(
	struct et_experiment *e, const char *name, uint32_t load, uint64_t length_ns, double value);
/* Returns the first value of a series; NaN if there is none. */
double et_figure_value(
	const struct et_experiment *e, const char *name, uint32_t load, uint64_t length_ns);
/* Returns the values of a series, a new array of *n. */
double *et_figure_values(const struct et_experiment *e, const char *name, uint32_t load,
	uint64_t length_ns, size_t *n);
/* Whether the experiment has a figure of that name. */
bool et_figure_exists(const struct et_experiment *e, const char *name);
/* Returns the first figure of that name after another one, or after none (NULL), in order. */
const struct et_figure *et_figure_next(
	const struct et_experiment *e, const char *name, const struct et_figure *after);
void et_figures_free(struct et_experiment *e);
