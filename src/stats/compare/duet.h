/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges two commands that ran side by side. For programs of one kind the verdict is that of the
 * pairs, and the ratio alone is derived from it (alone.h). Programs of different kinds cost each
 * other unequal time, so that pairs of equally fast programs differ: they are judged by their solo
 * runs. Two signs tell the kinds apart: their footprints, and pairs that contradict the solos by
 * far more than chance explains.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/estimate.h"

#include <stdint.h>

/* The load that a program puts on the machine; NaN: not known. */
struct et_footprint {
	double memory; /* median of peak memory, bytes */
	double faults; /* median of page faults: pages that a run touches first */
	double system; /* share of system time in CPU time */
	double cpu_ns; /* mean CPU time */
};

/* Reads the solo runs, or the duets if there are no others. */
struct et_footprint et_footprint_of(const struct et_command *c);
/* Returns the figure that shows different kinds, such as "peak memory"; NULL: none does. */
const char *et_footprints_differ(const struct et_footprint f[2]);

struct et_duets {
	const double *pairs; /* log ratios b/a in order of execution, at least one */
	size_t n_pairs;
	bool overlapped;       /* the two ran at the same time, not one after the other */
	uint64_t metronome_ns; /* 0: the scheduler alternated them */
	const double *solos;   /* log ratios of solo runs of the same round */
	size_t n_solos;
	struct et_footprint footprints[2]; /* of a and b */
};

/* Fills a contrast, of which the commands, the metric and the level are set. */
void et_judge_duets(const struct et_duets *d, struct et_contrast *out);
