/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series of numbers summed up: moments, quartiles, Type A uncertainty and Student's interval. */
#ifndef ET_STATS_SUMMARY_H
#define ET_STATS_SUMMARY_H

#include "model/estimate.h"

/*
 * Fills *out (warnings stay empty). Undefined figures are NaN: all of them for n = 0, the spread
 * and what rests on it for n = 1. level is the coverage, such as 0.95.
 */
void et_summarise(const double *x, size_t n, double level, struct et_estimate *out);

#endif
