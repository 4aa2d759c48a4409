/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine that neighbours slow down. Like a shared virtual one that was measured: the time of a
 * short program run again and again has a relative standard deviation of 20 % and a correlation of
 * 0.43 between neighbours.
 */
#ifndef ET_LAB_SIMULATED_MACHINE_H
#define ET_LAB_SIMULATED_MACHINE_H

#include "num/rng.h"

#include <stdbool.h>

enum et_simulated_load {
	ET_SIMULATED_DRIFT,  /* a random walk between two bounds, and a white part */
	ET_SIMULATED_BURSTS, /* two states, each lasting a few runs */
	ET_SIMULATED_LOADS,
};

extern const char *const et_simulated_load_names[];

struct et_simulated_machine {
	enum et_simulated_load load;
	struct et_rng rng;
	double walk; /* of the logarithm */
	bool slow;
};

/* In its stationary state. */
void et_simulated_machine_start(struct et_simulated_machine *m, enum et_simulated_load load,
	uint64_t seed, uint64_t stream);
/* By how much a run takes longer in the next slot of time; the machine moves on. */
double et_simulated_machine_next(struct et_simulated_machine *m);
/*
 * What is a program's own in the logarithm of its time, with the given sd: normal, every tenth run
 * with three times the spread of the others.
 */
double et_simulated_machine_own(struct et_simulated_machine *m, double sd);

#endif
