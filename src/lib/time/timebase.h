/* SPDX-License-Identifier: MIT */
/*
 * The timebase is K-best's only access to the machine: a clock, the thread's CPU time, its context
 * switches, its priority, a reference loop of fixed work, and a spin that detects interrupts. These
 * are function pointers so that a test can simulate the machine. The real ones allocate nothing,
 * print nothing and take no lock.
 *
 * "Ticks" are units of the clock. The timer interrupt, which the kernel calls tick, is named in
 * full, except in wait_tick and tick_ns.
 */
#pragma once

#include "clock/counter.h"
#include "clock/loss.h"

struct et_cache;

/* The scheduling policy and priority of a thread. */
struct et_sched_policy {
	int policy, priority;
};

struct et_timebase {
	/* Read the clock in ticks, before and after the timed code. */
	uint64_t (*start)(void *ctx);
	uint64_t (*stop)(void *ctx);
	uint64_t (*cpu_ns)(void *ctx); /* CPU time of the thread */
	/* Of the thread so far; *waits: those of them in which it waited for something. */
	uint64_t (*context_switches)(void *ctx, uint64_t *waits);
	uint64_t (*now_ns)(void *ctx); /* elapsed time, for limits */
	void (*yield)(void *ctx);      /* lets other threads run */
	void (*wait_tick)(void *ctx);  /* returns just after a timer interrupt; may be NULL */
	/* Raises the priority and fills *was; false: not permitted or needed. May be NULL. */
	bool (*raise_priority)(void *ctx, struct et_sched_policy *was);
	void (*restore_priority)(void *ctx, const struct et_sched_policy *was);
	void (*reference_loop)(void *ctx); /* some µs of fixed work */
	/* Spins for one window of l, or until ticks have passed; see et_loss_spin. */
	void (*spin)(void *ctx, struct et_loss *l, uint64_t ticks);
	void *ctx;

	int clock;              /* ETALON_CLOCK_COUNTER or ETALON_CLOCK_RAW */
	const char *unit;       /* of the clock's ticks, as in struct etalon_kbest_result */
	struct et_cache *cache; /* to clear before each sample; NULL: stay warm */
	double hz, hz_uncertainty;
	double tick_ns;    /* interval of the timer interrupt */
	unsigned warnings; /* bits of enum etalon_warning, copied to every result */

	/* Set by et_timebase_calibrate. */
	double overhead, overhead_uncertainty;      /* of reading the clock, in ticks */
	double cpu_overhead_ns, cpu_uncertainty_ns; /* of reading the CPU time */
	double full_speed_ticks;                    /* duration of the fastest reference loop */
};

/* Measures the cost of reading the clock and the CPU time, and the reference loop. */
void et_timebase_calibrate(struct et_timebase *t);
/* Runs the reference loop twice; returns the fewer ticks. May lower full_speed_ticks, overhead. */
double et_timebase_reference_ticks(struct et_timebase *t);
/* Returns the least CPU time charged for a switch away and back; 0: there was none in limit_ns. */
double et_timebase_switch_ns(const struct et_timebase *t, uint64_t limit_ns);

/* The timebase of CLOCK_MONOTONIC_RAW on the real machine, not yet calibrated. */
void et_timebase_raw(struct et_timebase *t);

/* The clock of a benchmark program: chosen and calibrated once, used by all its processes. */
struct et_clock_choice {
	int clock; /* ETALON_CLOCK_COUNTER or ETALON_CLOCK_RAW */
	double hz, hz_uncertainty;
	unsigned warnings; /* why it is not the counter */
};

/* Chooses the clock (enum etalon_kbest_clock) in 50 ms. Fails only if the counter is wanted. */
int et_clock_choose(int wanted, struct et_clock_choice *out);
/* Makes a calibrated timebase of it, in the thread that shall use it. */
void et_clock_choice_timebase(const struct et_clock_choice *c, struct et_timebase *out);
/* The clock of ETALON_CLOCK_AUTO, which is chosen once per thread: it needs no lock. */
const struct et_clock_choice *et_clock_here(void);

/* --- the cost of an empty call --- */

/*
 * The cost of calling a function, or of going once round a loop, that does nothing. A processor
 * executes the instructions of the call beside those of the function, so an empty call alone takes
 * longer than it adds to a function: the cost is between nothing and that of an empty call.
 */
struct et_empty {                  /* per call */
	double ns, uncertainty_ns; /* standard uncertainty */
};

/* Calls fn(arg) n times. The loop is unrolled, since a call returns faster than a loop repeats. */
void et_call_many(void (*fn)(void *), void *arg, uint64_t n);
/*
 * Measures what an empty call adds to a call of fn that takes fn_ns, in samples of that many calls
 * by et_call_many. If `beside`, calls fn some thousand times with an empty call beside each and
 * without, unless it takes too long for that.
 */
struct et_empty et_empty_call(struct et_timebase *t, void (*fn)(void *), void *arg, double fn_ns,
	uint64_t calls, bool beside);
/* The same for one iteration of ETALON_LOOP whose body takes body_ns with the loop. */
struct et_empty et_empty_loop(struct et_timebase *t, double body_ns);
