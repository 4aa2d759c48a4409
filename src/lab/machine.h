/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine that neighbours slow down. Like a shared virtual one that was measured: the time of a
 * short program run again and again has a relative standard deviation of 20 % and a correlation of
 * 0.43 between neighbours.
 */
#ifndef ET_LAB_MACHINE_H
#define ET_LAB_MACHINE_H

#include "num/rng.h"

#include <stdbool.h>

enum et_load {
	ET_LOAD_DRIFT,  /* a random walk between two bounds, and a white part */
	ET_LOAD_BURSTS, /* two states, each lasting a few runs */
	ET_LOADS,
};

extern const char *const et_load_names[];

struct et_loaded_machine {
	enum et_load load;
	struct et_rng rng;
	double walk; /* of the logarithm */
	bool slow;
};

/* In its stationary state. */
void et_loaded_machine_start(
	struct et_loaded_machine *m, enum et_load load, uint64_t seed, uint64_t stream);
/* By how much a run takes longer in the next slot of time; the machine moves on. */
double et_loaded_machine_next(struct et_loaded_machine *m);
/*
 * What is a program's own in the logarithm of its time, with the given sd: normal, every tenth run
 * with three times the spread of the others.
 */
double et_loaded_machine_own(struct et_loaded_machine *m, double sd);

#endif
