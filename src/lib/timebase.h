/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What K-best measures with: a clock, the thread's CPU time, its count of switches, a loop of fixed
 * work, a spin that sees interrupts. Functions behind pointers, so that a test can be the machine.
 * The real ones allocate nothing, print nothing and take no lock.
 */
#ifndef ET_LIB_TIMEBASE_H
#define ET_LIB_TIMEBASE_H

#include "clock/counter.h"
#include "clock/loss.h"

/* What the scheduler knows of a thread. */
struct et_sched_policy {
	int policy, priority;
};

struct et_timebase {
	/* The clock, before and behind what is timed. */
	uint64_t (*start)(void *ctx);
	uint64_t (*stop)(void *ctx);
	uint64_t (*cpu_ns)(void *ctx);           /* CPU time of this thread */
	uint64_t (*context_switches)(void *ctx); /* times it left the CPU */
	uint64_t (*now_ns)(void *ctx);           /* for limits */
	void (*yield)(void *ctx);                /* others first */
	void (*wait_tick)(void *ctx);            /* waits until a timer interrupt has just been */
	/* Before all others from now on, and as it was; false, or NULL: it may not. */
	bool (*raise_priority)(void *ctx, struct et_sched_policy *was);
	void (*restore_priority)(void *ctx, const struct et_sched_policy *was);
	void (*reference_loop)(void *ctx); /* some µs of work that never changes */
	void (*spin)(void *ctx, struct et_loss *l, uint64_t ticks); /* sees interrupts */
	void *ctx;

	int clock;        /* enum etalon_kbest_clock: COUNTER, RAW */
	const char *unit; /* of the clock's ticks */
	double hz, hz_uncertainty;
	double tick_ns;    /* of the timer interrupt: a shorter stretch may have none */
	unsigned warnings; /* that come with this clock */

	/* Learnt by et_timebase_calibrate. */
	double overhead, overhead_uncertainty; /* ticks */
	double cpu_overhead_ns, cpu_uncertainty_ns;
	double full_speed_ticks; /* ticks of the pace loop at the fastest that was seen */
};

/* Cost of reading both clocks, and the pace at full speed. */
void et_timebase_calibrate(struct et_timebase *t);
/* Ticks of the pace loop now: the better of two. Lowers full_speed_ticks and overhead to what it
 * sees. */
double et_timebase_reference_ticks(struct et_timebase *t);
/*
 * The least CPU time that leaving the CPU and coming back costs a thread; waits up to limit_ns for
 * switches to happen. 0 when there were none.
 */
double et_timebase_switch_ns(const struct et_timebase *t, uint64_t limit_ns);

/* This machine's, by its counter (calibrated, found the same on every CPU) or the raw clock. */
void et_timebase_counter(struct et_timebase *t, const struct et_counter *c);
void et_timebase_raw(struct et_timebase *t);
/* Does the counter ever go back from one CPU to the next? Visits each; keeps the affinity. */
bool et_timebase_counter_backwards(void);

#endif
