/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series as a picture in block characters, for a terminal. */
#ifndef ET_REPORT_HISTOGRAM_H
#define ET_REPORT_HISTOGRAM_H

#include "model/estimate.h"
#include "model/series.h"

/* How many bins for n values over that range, after Freedman and Diaconis; from 1 to most. */
int et_histogram_bins(const struct et_estimate *e, size_t n, double range, int most);

/*
 * Bins after Freedman and Diaconis (1981), at most one a column; below them the median (▲), the
 * mean (△) and the ends. Values that are not finite are left out; nothing is drawn of fewer than
 * two. Lines begin with indent spaces and take at most width columns more.
 */
void et_histogram(const double *values, size_t n, const struct et_estimate *e, enum et_unit unit,
	int indent, int width, FILE *out);

#endif
