/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timebase through which K-best reads and controls the machine: a clock, the thread's CPU time,
 * its context switches, its priority, a reference loop of fixed work, and a spin that detects
 * interrupts. These are function pointers so that a test can simulate the machine. The real ones
 * allocate nothing, print nothing and take no lock.
 */
#ifndef ET_LIB_TIMEBASE_H
#define ET_LIB_TIMEBASE_H

#include "clock/counter.h"
#include "clock/loss.h"

/* The scheduling policy and priority of a thread. */
struct et_sched_policy {
	int policy, priority;
};

struct et_timebase {
	/* Read the clock, before and after the timed code. */
	uint64_t (*start)(void *ctx);
	uint64_t (*stop)(void *ctx);
	uint64_t (*cpu_ns)(void *ctx);           /* CPU time of the thread */
	uint64_t (*context_switches)(void *ctx); /* of the thread so far */
	uint64_t (*now_ns)(void *ctx);           /* for time limits */
	void (*yield)(void *ctx);                /* let other threads run */
	void (*wait_tick)(void *ctx);            /* returns just after a timer interrupt */
	/* Raises the priority above that of other threads; false, or NULL, if it may not. */
	bool (*raise_priority)(void *ctx, struct et_sched_policy *was);
	void (*restore_priority)(void *ctx, const struct et_sched_policy *was);
	void (*reference_loop)(void *ctx);                          /* some µs of fixed work */
	void (*spin)(void *ctx, struct et_loss *l, uint64_t ticks); /* adds to l */
	void *ctx;

	int clock;        /* ETALON_CLOCK_COUNTER or ETALON_CLOCK_RAW */
	const char *unit; /* of the clock's ticks */
	double hz, hz_uncertainty;
	double tick_ns;    /* interval of the timer interrupt */
	unsigned warnings; /* bits of enum etalon_warning that every result by this clock has */

	/* Set by et_timebase_calibrate. */
	double overhead, overhead_uncertainty; /* of reading the clock, ticks */
	double cpu_overhead_ns, cpu_uncertainty_ns;
	double full_speed_ticks; /* ticks of the fastest reference loop so far */
};

/* Measures the cost of reading both clocks, and the reference loop at full speed. */
void et_timebase_calibrate(struct et_timebase *t);
/*
 * Returns the ticks of the reference loop now, the fewer of two. Lowers full_speed_ticks and
 * overhead if it measures less.
 */
double et_timebase_reference_ticks(struct et_timebase *t);
/*
 * Returns the least CPU time that a context switch costs the thread that is switched out and in
 * again, or 0 if there was none. Waits up to limit_ns for switches to happen.
 */
double et_timebase_switch_ns(const struct et_timebase *t, uint64_t limit_ns);

/* The real timebase, by the calibrated counter or by CLOCK_MONOTONIC_RAW. */
void et_timebase_counter(struct et_timebase *t, const struct et_counter *c);
void et_timebase_raw(struct et_timebase *t);
/* Whether the counter goes backwards from one CPU to another. Restores the thread's affinity. */
bool et_timebase_counter_backwards(void);

#endif
