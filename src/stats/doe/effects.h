/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effects of all terms with intervals and tests. Private to the analysis of designed experiments.
 */
#pragma once

#include "model/design/result.h"
#include "stats/doe/fit.h"

/* The variances that the tests and intervals of one program rest on. */
struct et_doe_errors {
	const struct et_doe_fit *fit;
	double level;
	bool apart; /* each cell has a variance of its own */
	double *v;  /* of each coordinate of et_doe_combine's w */
	double df;  /* of v, if it is not apart */
	/*
	 * The cells' means in each block that has all cells, if every term is tested against its
	 * own variation from block to block; else NULL.
	 */
	double *table;
	size_t n_blocks;
};

void et_doe_errors_make(
	const struct et_doe_fit *fit, bool apart, double level, struct et_doe_errors *out);
/*
 * Makes blocks the source of the variances. Returns false, with nothing changed, if fewer than two
 * blocks have all cells.
 */
bool et_doe_errors_by_block(struct et_doe_errors *e);
void et_doe_errors_free(struct et_doe_errors *e); /* what it owns */

/*
 * Fills one effect per term that can be estimated: sums of squares, F tests and intervals. p_holm
 * is set over all of them. An effect of factors with two levels has Student's interval, or Welch's
 * with Satterthwaite's freedom. Of others it is the range of the levels' means. Its interval comes
 * from the intervals of all differences, which hold together (Tukey-Kramer; of interactions
 * Scheffe): so it covers the true range at least as often as it says, and 0 exactly that often if
 * the means are equal.
 *
 * Tests with variances of the cells' own are those of Brunner, Dette & Munk (1997): Welch's t test
 * for one degree of freedom, and for more the sum of squares over its expectation, with degrees of
 * freedom by Box's approximation, which keeps its level with few values where Welch-James does not.
 * Tests against the variation from block to block are Student's of the blocks' contrasts, and for
 * more degrees of freedom F with Greenhouse & Geisser's (1959) correction.
 */
void et_doe_effects(const struct et_doe_errors *errors, double alpha, struct et_doe_program *out);
/* Sets p_holm and significant of all effects. */
void et_doe_effects_adjust(struct et_doe_program *p, double alpha);

/* The sum of squares of a term (Type III) of cells with these means. */
double et_doe_squares(const struct et_doe_fit *f, const struct et_doe_term *term, const double *mu);
/* Fills table, one value per combination of the factors' levels: the term's own effect there. */
void et_doe_effect_table(
	const struct et_doe_grid *g, uint32_t factors, const double *mu, double *table);
