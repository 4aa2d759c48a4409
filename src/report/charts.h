/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms, and charts in block characters for a terminal. */
#pragma once

#include "draw/terminal.h"
#include "model/result/estimate.h"
#include "model/result/series.h"
#include "stats/compare/compare.h"

/* Equal bins of values by the rule of Freedman & Diaconis (1981). */
struct et_bins {
	double lo, hi;      /* of the first and the last bin */
	double least, most; /* value */
	size_t *count;      /* owned: of each bin */
	int n;
};

/* Fills at most `most` bins with finite values. Returns their number; below 2 there is no bin. */
size_t et_bins_fill(
	struct et_bins *b, const double *values, size_t n, const struct et_estimate *e, int most);

/*
 * Draws a bin per column and, below, the median (▲), the mean (△) and the ends; nothing of fewer
 * than two finite values. A line has `indent` spaces and at most `width` columns.
 */
void et_histogram(const double *values, size_t n, const struct et_estimate *e, enum et_unit unit,
	int indent, int width, FILE *out);

/* The names of all series without this many bytes, as et_page_names shortens them. */
char **et_series_names(
	const struct et_page *page, const struct et_series *s, size_t n, size_t skip, int width);

/* A forest plot for a terminal: all ratios with their intervals on one axis that marks 1. */

/* Draws an empty line and the plot; nothing if no pair has an interval or the page is narrow. */
void et_forest(
	const struct et_series *s, const struct et_comparison *c, const struct et_page *page);
