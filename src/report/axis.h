/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An axis of a picture: its ends, its ticks at round numbers, where a value lies on it. */
#ifndef ET_REPORT_AXIS_H
#define ET_REPORT_AXIS_H

#include "report/units.h"

#include <stdbool.h>

enum et_axis_unit {
	ET_AXIS_NUMBER,
	ET_AXIS_NS,    /* nanoseconds, written in a fitting unit */
	ET_AXIS_SHARE, /* 1 is written as 100 % */
};

struct et_axis {
	const char *label; /* without the unit; or NULL */
	enum et_axis_unit unit;
	bool log;
	double lo, hi; /* both 0: what the data need, with a little room */
	/* Names of the values 0, 1 … from the top, in place of numbers; or NULL. */
	const char *const *lanes;
	size_t n_lanes;
};

enum { ET_MOST_TICKS = 32 };

struct et_ticks {
	double at[ET_MOST_TICKS];
	char text[ET_MOST_TICKS][ET_FIGURE]; /* without a unit where unit has it */
	size_t n;
	const char *unit; /* of all of them; NULL: each has its own, or there is none */
};

/*
 * An axis with ends: as given where they can be used, else around data from lo to hi (any order,
 * not finite: no data).
 */
struct et_axis et_axis_fit(const struct et_axis *a, double lo, double hi);
/* Where a value lies on a fitted axis, from 0 to 1; outside of it beyond; NaN: nowhere. */
double et_axis_share(const struct et_axis *a, double x);
/* About as many as wanted on a fitted axis, at most ET_MOST_TICKS. */
void et_axis_ticks(const struct et_axis *a, int wanted, struct et_ticks *out);

#endif
