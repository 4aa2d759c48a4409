/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated machine that is slowed down by other tenants. Its parameters come from measurements
 * on a shared virtual machine: the times of a short program that runs again and again have a
 * relative standard deviation of 20 % and a lag-1 autocorrelation of 0.43.
 */
#pragma once

#include "num/rng.h"

#include <stdbool.h>

enum et_simulated_load {
	ET_SIMULATED_DRIFT,  /* a random walk between two bounds, plus white noise */
	ET_SIMULATED_BURSTS, /* two states, each lasting a few runs */
	ET_SIMULATED_LOADS,
};

extern const char *const et_simulated_load_names[];

struct et_simulated_machine {
	enum et_simulated_load load;
	struct et_rng rng;
	double walk; /* DRIFT: the present position, a logarithm of the slowdown */
	bool slow;   /* BURSTS: the present state */
};

/* Starts in a random state of the stationary distribution. seed and stream: see num/rng.h. */
void et_simulated_machine_start(struct et_simulated_machine *m, enum et_simulated_load load,
	uint64_t seed, uint64_t stream);
/* Advances the machine by one run and returns the factor by which that run takes longer. */
double et_simulated_machine_next(struct et_simulated_machine *m);
/*
 * Draws the program's own variation, a logarithm of a factor. It has the given sd and heavy tails:
 * it is normal, but one draw in ten has three times the spread of the others.
 */
double et_simulated_machine_own(struct et_simulated_machine *m, double sd);
