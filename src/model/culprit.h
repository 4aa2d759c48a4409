/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who else ran while a command was measured, over all its samples. */
#ifndef ET_MODEL_CULPRIT_H
#define ET_MODEL_CULPRIT_H

#include "model/experiment.h"

/* Another program that ran while samples were taken, over all samples but warm-up. */
struct et_culprit_total {
	char name[16];
	uint64_t cpu_ns;
	/* Of it on the program's CPU, in the solo samples that were kept; 0 where not all tell. */
	uint64_t taken_ns;
	size_t samples; /* in how many it was seen */
};

/* By descending time; a new array of *n, caller frees. */
struct et_culprit_total *et_command_culprits(const struct et_command *c, size_t *n);

#endif
