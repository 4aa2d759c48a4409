/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timer interrupt: how often it comes and what it costs at least, from the gaps that a spinning
 * thread sees (clock/activity.h) and the regularity of some of them (clock/ticks.h).
 */
#ifndef ET_CLOCK_TIMER_H
#define ET_CLOCK_TIMER_H

#include "clock/pulse.h"
#include "clock/ticks.h"

struct et_timer {
	double tick_ns;    /* interval of the timer interrupt */
	double found_ns;   /* interval found by regularity alone; 0: none */
	double cost_ns;    /* smallest gap that is one of them; 0: none was seen alone */
	size_t interrupts; /* gaps that are a timer interrupt and nothing longer */
};

enum { ET_TIMER_INTERRUPTS = 100 }; /* fewer make no smallest cost */

/*
 * Searches by regularity alone first. If that finds nothing, or an interval other than kernel_ns
 * (several ticks on a shared CPU, or the timer of a hypervisor), the ticks are the gaps every
 * kernel_ns, provided that there are enough of them; otherwise no tick is found, and only found_ns
 * is filled. kernel_ns is 0 if the kernel does not report it. ticks has room for n. 0, or -ENOENT.
 */
int et_timer_find(const struct et_gap *gaps, size_t n, double hz, uint64_t kernel_ns, bool *ticks,
	struct et_timer *out) ET_CHECK;
/*
 * Spins on the present CPU until ET_TIMER_INTERRUPTS were seen alone, limit_ns have passed or the
 * pulse says so; the thread keeps its affinity afterwards. By the counter where it is calibrated
 * and keeps its rate, else by CLOCK_MONOTONIC. 0; -EAGAIN with *out filled when there were fewer
 * (the machine is busy, or the CPU has no tick); -ENOENT when no tick was found; -ENOMEM.
 */
int et_timer_measure(const struct et_counter *c, uint64_t limit_ns, const struct et_pulse *pulse,
	struct et_timer *out) ET_CHECK;

#endif
