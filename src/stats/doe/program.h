/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of one program. Private to the analysis of designed experiments. */
#pragma once

#include "stats/doe/doe.h"
#include "stats/doe/effects.h"

/* The part of a design whose levels have runs, with its data. */
struct et_doe_part {
	struct et_design *design;
	struct et_doe_grid grid;
	struct et_doe_data data;
};

/*
 * Leaves out levels without any run, so that the other levels of their factors can be compared.
 * Returns false, with nothing to be freed, if all levels have runs, or if the design is a fraction,
 * whose other treatments are none without them. Appends "work=30" of each level to left_out.
 */
bool et_doe_part_make(const struct et_doe_grid *g, const struct et_doe_data *data,
	struct et_doe_part *out, char **left_out);
void et_doe_part_free(struct et_doe_part *p); /* what it owns */

/* Fills all of *out but its name and its pairs. */
void et_doe_program_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out);

/* Fills the residuals, and their checks. */
void et_doe_residuals_make(const struct et_doe_fit *f, struct et_doe_residuals *out);
/* Replaces the tests of all effects by those of aligned ranks. All cells have values. */
void et_doe_ranks(const struct et_doe_fit *f, double alpha, struct et_doe_program *out);

/* Adds the warnings about a program of the planned grid that was judged. */
void et_doe_warn(const struct et_doe_grid *planned, const struct et_doe_fit *f,
	const struct et_doe_errors *e, struct et_doe_program *out);

/* The pairs of more treatments are not compared: they are too many to read, and take long. */
enum { ET_DOE_MOST_PAIRED = 100 };

/*
 * Compares all pairs of treatments by the protocol of Nogueira & Matias, as two independent series
 * each, with Holm's correction over the pairs of this program.
 */
void et_doe_pairs(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_response *response, const struct et_doe_options *o,
	struct et_doe_program *out);
