/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates of the means of all cells, and the variances of combinations of them. Private to the
 * analysis of designed experiments.
 *
 * If every cell has values, each cell's mean is its own estimate, and the test of a term whose
 * contrasts of the cells are L asks whether L mu = 0 (Yates 1934; SAS's Type III). If cells are
 * missing, terms that the other cells cannot tell from terms of lower order are dropped, and the
 * rest is fitted by least squares, weighted by the numbers of values.
 */
#pragma once

#include "stats/doe/data.h"

struct et_doe_fit {
	const struct et_doe_grid *grid;
	const struct et_doe_data *data;
	double *mu;      /* of each cell */
	bool *estimable; /* of each term */
	bool saturated;  /* there are as many terms as cells: mu are the cells' means */
	/*
	 * A combination c of mu has the variance sum w_i^2 v_i, where w = map c, or c if map is
	 * NULL, and v_i is unit_i times the residual variance.
	 */
	double *map, *unit;
	double *fitted; /* of each run, with its block */
	double ss_total, ss_residual, df_residual;
	bool blocked; /* differences of blocks are removed from the residuals */
};

/* There is at least one value. */
void et_doe_fit_make(
	const struct et_doe_grid *grid, const struct et_doe_data *data, struct et_doe_fit *out);
void et_doe_fit_free(struct et_doe_fit *f); /* what it owns */

/* Returns the combination c of mu, and fills w. */
double et_doe_combine(const struct et_doe_fit *f, const double *c, double *w);
