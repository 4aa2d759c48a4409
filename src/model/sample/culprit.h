/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other processes that ran while a command was measured, summed over its samples. */
#pragma once

#include "model/experiment/experiment.h"

/* All processes of one name, over all samples but warm-up. */
struct et_culprit_total {
	char name[16];
	uint64_t cpu_ns;
	/* The part on the program's CPU, in kept solo samples; 0 unless all of these have a ledger.
	 */
	uint64_t taken_ns;
	size_t samples; /* the number of samples in which it was seen */
};

/* Returns a new array of *n, by descending time. The caller frees it. */
struct et_culprit_total *et_command_culprits(const struct et_command *c, size_t *n);
