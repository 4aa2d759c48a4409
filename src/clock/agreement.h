/* SPDX-License-Identifier: MIT */
/*
 * Compares the counters of two CPUs, called near and far. In each round a message goes from the
 * near CPU to the far one and back. The near counter is read before and after, and the far counter
 * when the message arrives, so the two near readings bound the offset of the far counter. All
 * rounds together bound it more tightly (Cristian 1989).
 */
#pragma once

#include "base/attr.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct et_agreement {
	int near, far;      /* the CPUs */
	uint32_t rounds;    /* rounds done; 0: no answer within the time limit */
	int64_t lo, hi;     /* bounds for the ticks by which the far counter is ahead */
	uint32_t backwards; /* rounds in which a message seemed to arrive before it was sent */
};

void et_agreement_init(struct et_agreement *a, int near, int far);
/* Adds a round: the near counter before and after the message, and the far counter. */
void et_agreement_add(struct et_agreement *a, uint64_t before, uint64_t far, uint64_t after);
/* Whether the offset changes: no constant one fits all rounds. */
bool et_agreement_moves(const struct et_agreement *a);

/*
 * Exchanges messages between two threads until `rounds` are done or limit_ns has passed. Returns 0
 * or -errno: -EINVAL if this process may not use a CPU, -EOPNOTSUPP without a counter.
 */
int et_agreement_measure(
	int near, int far, uint32_t rounds, uint64_t limit_ns, struct et_agreement *out) ET_CHECK;
