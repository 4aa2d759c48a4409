/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cells of a design and the terms (main effects and interactions) that they can tell apart.
 * Private to the analysis of designed experiments.
 */
#pragma once

#include "model/design/design.h"

/* With more, the interactions of the highest orders are left to the residuals. */
enum { ET_DOE_MOST_TERMS = 1100 };

struct et_doe_term {
	uint32_t factors; /* bits; of an alias set, its term of the lowest order */
	size_t df;
	char *aliases; /* the other terms of the set, or NULL */
};

/*
 * Cells are the treatments, if they are a full factorial or a fraction made by generators. If they
 * are neither, cells are all combinations of the levels, and those without a treatment are missing.
 */
struct et_doe_grid {
	const struct et_design *design;
	size_t n_cells;
	uint32_t *levels;          /* of cell c and factor f: levels[c * n_factors + f] */
	uint32_t *cell_of;         /* by treatment */
	struct et_doe_term *terms; /* by order, then by factors */
	size_t n_terms;
	size_t omitted; /* terms of higher orders that are not in the list */
};

/* Returns false if the combinations of the levels are too many. */
bool et_doe_grid_make(const struct et_design *d, struct et_doe_grid *out);
void et_doe_grid_free(struct et_doe_grid *g); /* what it owns */

static inline uint32_t et_doe_level(const struct et_doe_grid *g, size_t cell, size_t factor)
{
	return g->levels[cell * g->design->n_factors + factor];
}
/* "work:pad"; the caller frees it. */
char *et_doe_term_name(const struct et_design *d, uint32_t factors);
/* Number of combinations of the levels of these factors. */
size_t et_doe_combinations(const struct et_design *d, uint32_t factors);
/* The number of the cell's combination of them; the first factor changes fastest. */
size_t et_doe_combination_of(const struct et_doe_grid *g, uint32_t factors, size_t cell);

/*
 * Fills row i (of df) of a term: orthogonal contrasts of the cells of a complete design, each with
 * a sum of squares of 1. Of factors with two levels it is -1 or +1 times 1/sqrt(cells).
 */
void et_doe_term_row(const struct et_doe_grid *g, uint32_t factors, size_t i, double *row);
