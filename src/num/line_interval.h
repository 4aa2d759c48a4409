/* SPDX-License-Identifier: MIT */
/* Intervals of a fitted line at a given x. */
#pragma once

#include "num/line.h"

#include <stdbool.h>

struct et_line_at {
	double value;      /* the line at x */
	double error;      /* standard error of value */
	double confidence; /* half width of the interval of the line itself at x */
	double prediction; /* half width of the interval of one more point at x */
};

/*
 * Projects the line to x. With fewer than three points the errors and half widths are NaN. The
 * additional point of a weighted line has sigma 1.
 */
void et_line_at(const struct et_line *line, double x, double level, struct et_line_at *out);
/* Is y outside of the interval of one more point, by more than rounding errors? */
bool et_line_is_off(const struct et_line_at *at, double y);
