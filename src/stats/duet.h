/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges two commands that ran side by side. For programs of one kind the verdict is that of the
 * pairs, and the ratio alone is derived from it (alone.h). Programs of different kinds cost each
 * other unequal time, so that pairs of equally fast programs differ: they are judged by their solo
 * runs. Two signs tell the kinds apart: peak memory, and pairs that contradict the solos.
 */
#ifndef ET_STATS_DUET_H
#define ET_STATS_DUET_H

#include "model/estimate.h"

#include <stdint.h>

struct et_duets {
	const double *pairs; /* log ratios b/a in order of execution, at least one */
	size_t n_pairs;
	bool overlapped;       /* the two ran at the same time, not one after the other */
	uint64_t metronome_ns; /* 0: the scheduler alternated them */
	const double *solos;   /* log ratios of solo runs of the same round */
	size_t n_solos;
	double memory[2]; /* peak memory of a and b in bytes; NaN: not known */
};

/* Fills a contrast, of which the commands, the metric and the level are set. */
void et_judge_duets(const struct et_duets *d, struct et_contrast *out);

/* Whether the peak memory of two programs, in bytes, shows that they are of different kinds. */
bool et_memory_differs(const double memory[2]);

#endif
