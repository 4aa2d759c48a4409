/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a machine: sessions at different times, each with runs of the treatments. The load
 * of a machine changes from part to part, so parts and not runs are the units of statements about
 * machines. Private to the analysis of designed experiments.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of one machine, which has some of every cell. */
struct et_doe_observed {
	const double *y;
	const uint32_t *cell, *part; /* parts have any numbers */
	size_t n, n_cells;
};

/* Their fit by least squares: value = cell + part + noise. */
struct et_doe_split {
	size_t n_parts;
	double *cell;       /* n_cells: at the mean of the parts, which weigh the same */
	double *level;      /* n_parts: at the mean of the cells */
	double squares, df; /* of the noise */
	double each;        /* the mean of 1 / values over the parts */
	size_t runs;        /* of every cell in every part; 0: they are unequal */
};

void et_doe_split_make(const struct et_doe_observed *o, struct et_doe_split *out);
void et_doe_split_free(struct et_doe_split *s); /* what it owns */
