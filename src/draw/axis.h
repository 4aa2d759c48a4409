/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An axis of a chart: its ends, its ticks at round numbers, and the position of a value on it. */
#pragma once

#include "draw/units.h"

#include <stdbool.h>

enum et_axis_unit {
	ET_AXIS_NUMBER,
	ET_AXIS_NS,    /* nanoseconds, printed in a suitable unit */
	ET_AXIS_SHARE, /* 1 is printed as 100 % */
};

struct et_axis {
	const char *label; /* without the unit; or NULL */
	enum et_axis_unit unit;
	bool log;
	double lo, hi; /* both 0: chosen from the data, with a margin */
	/* Names printed instead of the numbers 0, 1 …, of y from the top down; or NULL. */
	const char *const *tracks;
	size_t n_tracks;
};

enum { ET_MOST_TICKS = 32 };

struct et_ticks {
	double at[ET_MOST_TICKS];
	char text[ET_MOST_TICKS][ET_FIGURE]; /* without a unit if `unit` is set */
	size_t n;
	const char *unit; /* of all ticks; NULL: each text has its own, or none has one */
	/* "128.24 s": the texts are distances from this value, which has many digits; or "". */
	char above[ET_FIGURE];
};

/*
 * Returns the axis with its ends set: the given ends if they are usable, otherwise ends around data
 * from lo to hi. lo > hi, or a value that is not finite, means that there are no data.
 */
struct et_axis et_axis_fit(const struct et_axis *a, double lo, double hi);
/* The position of a value on a fitted axis: 0 and 1 are its ends; NaN if it has no position. */
double et_axis_share(const struct et_axis *a, double x);
/* About as many ticks as wanted on a fitted axis, at most ET_MOST_TICKS; their texts differ. */
void et_axis_ticks(const struct et_axis *a, int wanted, struct et_ticks *out);
