/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the counters of two CPUs tell the same? A message goes from one to the other and back, with
 * the counter read before, between and after: the far reading must lie between the near ones, so
 * each round bounds the offset, and all rounds together bound it more tightly (Cristian 1989).
 */
#ifndef ET_CLOCK_AGREEMENT_H
#define ET_CLOCK_AGREEMENT_H

#include "base/attr.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct et_agreement {
	int near, far;      /* the CPUs */
	uint32_t rounds;    /* 0: the two never met in the time there was */
	int64_t lo, hi;     /* counts that the far counter is ahead: at least, at most */
	uint32_t backwards; /* rounds in which time went backwards from one CPU to the other */
};

void et_agreement_init(struct et_agreement *a, int near, int far);
/* One round: the near counter before and after, the far one between. */
void et_agreement_add(struct et_agreement *a, uint64_t before, uint64_t far, uint64_t after);
/* The rounds contradict one offset: it moves. Both 0 where nothing was seen. */
bool et_agreement_moves(const struct et_agreement *a);

/*
 * Plays until `rounds` are done or limit_ns has passed, on threads of its own. 0 or -errno: a CPU
 * that may not be used (-EINVAL), no threads, no counter (-EOPNOTSUPP).
 */
int et_agreement_measure(
	int near, int far, uint32_t rounds, uint64_t limit_ns, struct et_agreement *out) ET_CHECK;

#endif
