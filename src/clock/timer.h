/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interval and the smallest cost of the timer interrupt, from the gaps of a spinning thread
 * (clock/activity.h) and the regularity of some of them (clock/ticks.h).
 */
#ifndef ET_CLOCK_TIMER_H
#define ET_CLOCK_TIMER_H

#include "clock/pulse.h"
#include "clock/ticks.h"

struct et_timer {
	double tick_ns;    /* interval of the timer interrupt */
	double found_ns;   /* interval found by regularity alone; 0: none */
	double cost_ns;    /* shortest gap that is a timer interrupt; 0: unknown */
	size_t interrupts; /* timer interrupts without preemption */
};

enum { ET_TIMER_INTERRUPTS = 100 }; /* fewer are not enough to find the smallest cost */

/*
 * Searches by regularity alone first. If that finds nothing, or an interval other than kernel_ns
 * (several ticks on a shared CPU, or the timer of a hypervisor), the ticks are the gaps every
 * kernel_ns, provided that there are enough of them; otherwise no tick is found, and only found_ns
 * is filled. kernel_ns is 0 if the kernel does not report it. Returns 0 or -ENOENT.
 * ticks has room for n elements.
 */
int et_timer_find(const struct et_gap *gaps, size_t n, double hz, uint64_t kernel_ns, bool *ticks,
	struct et_timer *out) ET_CHECK;
/*
 * Spins on the present CPU until there were ET_TIMER_INTERRUPTS without preemption, limit_ns have
 * passed or the pulse ends it; restores the thread's affinity. Uses the counter if it is calibrated
 * and invariant, else CLOCK_MONOTONIC. Returns 0; -EAGAIN with *out filled if there were fewer (the
 * machine is busy, or the CPU has no tick); -ENOENT if no tick was found; -ENOMEM.
 */
int et_timer_measure(const struct et_counter *c, uint64_t limit_ns, const struct et_pulse *pulse,
	struct et_timer *out) ET_CHECK;

#endif
