/* SPDX-License-Identifier: MIT */
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
	double found_ns;   /* interval that was found by regularity alone; 0: none */
	double cost_ns;    /* shortest gap that is a timer interrupt; 0: unknown */
	size_t interrupts; /* timer interrupts that no preemption made longer */
};

enum { ET_TIMER_INTERRUPTS = 100 }; /* fewer are not enough to find the smallest cost */

/*
 * Finds the timer interrupts among n gaps and sets ticks[i] to whether gap i is one. kernel_ns is
 * the interval that the kernel reports, or 0. The search uses regularity alone first. If it finds
 * nothing, or another interval (several ticks on a shared CPU, or the timer of a hypervisor), it
 * looks for gaps every kernel_ns. Returns 0, or -ENOENT with only found_ns filled.
 */
int et_timer_find(const struct et_gap *gaps, size_t n, double hz, uint64_t kernel_ns, bool *ticks,
	struct et_timer *out) ET_CHECK;
/*
 * Spins on the present CPU until `interrupts` reaches ET_TIMER_INTERRUPTS, limit_ns have passed or
 * the pulse ends it; restores the thread's affinity. Reads the counter c if it is calibrated and
 * invariant, else CLOCK_MONOTONIC. Returns 0; -EAGAIN with *out filled if there were fewer
 * interrupts (the machine is busy, or the CPU has no tick); -ENOENT with only found_ns filled if
 * there were none; -ENOMEM.
 */
int et_timer_measure(const struct et_counter *c, uint64_t limit_ns, const struct et_pulse *pulse,
	struct et_timer *out) ET_CHECK;

#endif
