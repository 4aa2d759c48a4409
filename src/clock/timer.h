/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timer interrupt: how often it comes and what it costs at least, from the gaps that a spinning
 * thread sees in the counter. The search is a pure function over gaps; et_timer_measure takes them
 * from this machine.
 */
#ifndef ET_CLOCK_TIMER_H
#define ET_CLOCK_TIMER_H

#include "clock/counter.h"

#include <stddef.h>

/* Between two readings more time passed than the loop needs; in ticks of the counter. */
struct et_gap {
	uint64_t start;
	uint64_t length;
};

struct et_timer {
	double tick_ns;    /* interval of the timer interrupt */
	double cost_ns;    /* smallest gap that is one of them; 0: none was seen alone */
	size_t interrupts; /* gaps that are a timer interrupt and nothing longer */
	double lost_ratio; /* of the time the thread ran, what all interrupts took together */
};

enum { ET_TIMER_INTERRUPTS = 100 }; /* fewer make no smallest cost */

/*
 * Of gaps in order of time: those that come a whole number of ticks after one of the first. The
 * tick is told_ns when a third of the interrupts were seen that were due while the thread ran;
 * else, or with 0, the shortest interval of a kernel's timer (100 to 1024 a second) at which two
 * thirds were. By chance it is a few in a hundred. Under a hypervisor its own timer is seen too,
 * which is why what the kernel tells comes first. 0, or -ENOENT.
 */
int et_timer_find(
	const struct et_gap *gaps, size_t n, double hz, uint64_t told_ns, struct et_timer *out);
/*
 * Spins on the present CPU until ET_TIMER_INTERRUPTS were seen or limit_ns have passed; the thread
 * keeps its affinity afterwards. The counter must be calibrated. 0; -EAGAIN with *out filled when
 * there were fewer (the machine is busy, or the CPU has no tick); -ENOENT when no tick was found;
 * -EOPNOTSUPP without a counter.
 */
int et_timer_measure(const struct et_counter *c, uint64_t limit_ns, struct et_timer *out);
/* The tick as the kernel tells it: the resolution of its coarse clocks. 0: it does not. */
uint64_t et_timer_told_ns(void);

#endif
