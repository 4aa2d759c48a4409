/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The figures of a sample that a command can be described by: one row per metric. A metric that is
 * marked as judged can be chosen with --metric; commands are then compared by it.
 */
#pragma once

#include "base/base.h"

enum et_unit {
	ET_UNIT_NONE, /* the unit of the numbers is not known */
	ET_UNIT_S,
	ET_UNIT_NS,
	ET_UNIT_BYTES,
	ET_UNIT_TICKS, /* of the processor's counter */
};

extern const char *const et_unit_names[]; /* indexed by enum et_unit; NULL for ET_UNIT_NONE */

/* Metrics that can be judged come first. */
enum et_metric {
	ET_METRIC_CPU,
	ET_METRIC_ELAPSED,
	ET_METRIC_PEAK_MEMORY,
	ET_METRIC_USER,
	ET_METRIC_SYSTEM,
	ET_METRIC_COUNTER,
	ET_METRICS,
};

struct et_metric_row {
	const char *name;  /* in JSON and in the store */
	const char *label; /* in what a person reads */
	enum et_unit unit;
	bool judged;   /* --metric accepts it */
	bool in_duets; /* a partner on the same CPU leaves it as it is */
	size_t offset; /* of a uint64_t in struct et_sample */
};

extern const struct et_metric_row et_metrics[ET_METRICS];
/* The names of the judged metrics, indexed by enum et_metric; NULL ends the list. */
extern const char *const et_metric_names[];
extern const char *const et_recorded_metric_names[]; /* of all metrics */
/* The same names and, at ET_METRIC_AUTO, "auto", as the store has them; NULL ends the list. */
enum { ET_METRIC_AUTO = ET_METRIC_PEAK_MEMORY + 1 };
extern const char *const et_metric_options[];
/* The values of --metric, the words of what a person reads; it accepts the names as well. */
extern const char *const et_metric_words[];

/* Rules and warnings about disturbed runs are for times: other metrics stay as they are. */
static inline bool et_metric_is_time(enum et_metric m)
{
	return et_metrics[m].unit == ET_UNIT_NS;
}
