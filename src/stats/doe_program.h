/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of one program. Private to the analysis of designed experiments. */
#ifndef ET_STATS_DOE_PROGRAM_H
#define ET_STATS_DOE_PROGRAM_H

#include "stats/doe.h"
#include "stats/doe_effects.h"

/* Fills all of *out but its name, its pairs and the warnings about treatments. */
void et_doe_program_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out);

/*
 * Compares all pairs of treatments by the protocol of Nogueira & Matias, as two independent series
 * each, with Holm's correction over the pairs of this program.
 */
void et_doe_pairs(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_response *response, const struct et_doe_options *o,
	struct et_doe_program *out);

#endif
