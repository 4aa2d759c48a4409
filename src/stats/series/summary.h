/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A series of numbers summed up: moments, quartiles, uncertainty, and the interval of the mean
 * (num/mean_interval.h). If all values are equal, its uncertainty is that of their resolution.
 */
#pragma once

#include "model/result/estimate.h"

/*
 * x is in order of execution. Fills *out (warnings stay empty). Undefined figures are NaN: all of
 * them for n = 0, the spread and what rests on it for n = 1. level is the coverage, such as 0.95.
 */
void et_summarise(const double *x, size_t n, double level, struct et_estimate *out);
