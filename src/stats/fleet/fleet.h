/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The speed and the noise of the machines of a fleet, from timings of the same programs on them. */
#pragma once

#include "model/result/fleet.h"
#include "stats/fleet/machines.h"

/* One program in one experiment on one machine. */
struct et_fleet_series {
	size_t machine;   /* in the list of the fleet */
	uint64_t program; /* the same number: the same program */
	uint64_t started_wall_ns;
	struct et_log_moments elapsed, cpu; /* of times in nanoseconds; n is 0 if not known */
};

struct et_fleet_options {
	double alpha; /* of all machines together */
	int metric;   /* enum et_metric, or ET_METRIC_AUTO: the one that suits each program */
	const size_t *reference; /* a machine, or NULL: the whole fleet */
};

/*
 * Compares the machines that shared programs connect, by the newest 20 series of each program on
 * each machine, and fills the ratios of the fleet. Of two machines without a reference the faster
 * becomes it. Others keep NaN. Each machine gets its noise and its recent ratios. The machines have
 * their names. Sorts the list.
 *
 * A program is judged by CPU time if it used about one CPU (within 10 %) on all machines, else by
 * elapsed time.
 */
void et_fleet_judge(struct et_fleet *f, struct et_fleet_series *list, size_t n,
	const struct et_fleet_options *o);
