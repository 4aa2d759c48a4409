/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of one program. Private to the analysis of designed experiments. */
#ifndef ET_STATS_DOE_PROGRAM_H
#define ET_STATS_DOE_PROGRAM_H

#include "stats/doe.h"
#include "stats/doe_effects.h"

/* Fills all of *out but its name and its pairs. */
void et_doe_program_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out);

/* Fills the residuals, and their checks. */
void et_doe_residuals_make(const struct et_doe_fit *f, struct et_doe_residuals *out);
/* Replaces the tests of all effects by those of aligned ranks. All cells have values. */
void et_doe_ranks(const struct et_doe_fit *f, double alpha, struct et_doe_program *out);

/* Adds the warnings about a program that was judged. */
void et_doe_warn(
	const struct et_doe_fit *f, const struct et_doe_errors *e, struct et_doe_program *out);

/* The pairs of more treatments are not compared: they are too many to read, and take long. */
enum { ET_DOE_MOST_PAIRED = 100 };

/*
 * Compares all pairs of treatments by the protocol of Nogueira & Matias, as two independent series
 * each, with Holm's correction over the pairs of this program.
 */
void et_doe_pairs(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_response *response, const struct et_doe_options *o,
	struct et_doe_program *out);

#endif
