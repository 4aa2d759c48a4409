/* SPDX-License-Identifier: MIT */
/*
 * Takes one timed sample after another in this thread, and observes what disturbs them: other
 * threads that preempt it, interrupts, a processor below its full speed. The caller runs the timed
 * code between et_sampler_begin and et_sampler_end. Nothing here allocates, prints or locks.
 */
#pragma once

#include "lib/time/timebase.h"

#include <etalon/etalon.h>

/* A slowdown of the reference loop that is more than its own variation. */
#define ET_NOTABLE_SLOWDOWN 0.005

struct et_sampler {
	struct et_timebase *t;
	const struct etalon_kbest_opts *o;
	/* How long to wait for context switches, and to spin, before samples; set by init. */
	uint64_t switch_wait_ns, first_spin_ns;
	double max_window_ns; /* the longest window in which interrupts are measured */
	unsigned patience; /* preempted samples until the priority is raised; 1 if they are long */
	struct et_loss loss;
	double spin_cpu_ns;   /* CPU time that the kernel charged for all spins */
	double switch_ns;     /* CPU time of one context switch */
	bool last_preempted;  /* the previous sample was preempted */
	unsigned preemptions; /* preempted samples, including those that chose the calls */
	bool may_raise;       /* samples are preempted, and raising the priority is allowed */
	bool raised;          /* the priority is raised now */
	bool ever_raised;
	struct et_sched_policy saved; /* while raised */
	uint64_t raised_ns;           /* when it was raised */
	bool may_wait_tick; /* samples are long enough to begin them just after a timer interrupt */
	bool after_tick;    /* the current one does */
	double least_ns;    /* CPU time of the shortest sample */
	double reference_before; /* ticks of the reference loop before the current sample */
	/* When the current sample began: */
	uint64_t switches, waits, cpu, start;
	/* Samples that decide whether waiting belongs to the timed code, and those that waited: */
	uint64_t seen, waited;
};

/* A sample, without the cost of reading the clock. */
struct et_timed {
	double ticks, cpu_ns; /* of all its calls */
	double reference;     /* ticks of the reference loop, the longer of before and after */
	double slowdown;      /* by it, as far as the full speed is known yet */
	uint64_t switches;    /* context switches */
	bool waited;          /* in most of them the thread waited for something, or slept */
	bool backwards;       /* the clock went backwards */
	/* Another thread or VM had the CPU, and not because nearly all samples wait. */
	bool preempted;
};

void et_sampler_init(
	struct et_sampler *s, struct et_timebase *t, const struct etalon_kbest_opts *o);
/* Begin and end a sample whose disturbances do not matter, such as one that chooses the calls. */
void et_sampler_start(struct et_sampler *s);
void et_sampler_stop(struct et_sampler *s, struct et_timed *out);
/*
 * Prepares for samples as long as x, before the first et_sampler_ready: finds out whether they meet
 * interrupts, and whether they shall begin just after a timer interrupt.
 */
void et_sampler_expect(struct et_sampler *s, const struct et_timed *x);
/* The same if a sample cannot be repeated: spins some ms to see whether others want the CPU. */
void et_sampler_probe(struct et_sampler *s);
/*
 * Prepares an observed sample: yields if the last one was preempted, raises the priority if that
 * helps, and measures the processor's speed. Follow it by et_sampler_start, the timed code,
 * et_sampler_stop and et_sampler_observed, which measures the speed again.
 */
void et_sampler_ready(struct et_sampler *s);
void et_sampler_observed(struct et_sampler *s, struct et_timed *x);
/* Spins through a window like the sample, to learn how much time interrupts take in it. */
void et_sampler_interrupts(struct et_sampler *s, double sample_ns);
/* Restores the priority if the thread has kept a raised one for long; et_sampler_rest: always. */
void et_sampler_rest_if_due(struct et_sampler *s);
void et_sampler_rest(struct et_sampler *s);

/* The relative slowdown that the reference loop shows; 0: none, or it was not observed. */
double et_sampler_slowdown(const struct et_sampler *s, double reference);
double et_sampler_ns(const struct et_sampler *s, double ticks);
/* Whether to compensate samples of this length for interrupts: most shorter ones meet none. */
bool et_sampler_meets_interrupts(const struct et_sampler *s, double ns);
/* Whether enough windows are complete to know the least time of interrupts. */
bool et_sampler_enough_windows(const struct et_sampler *s);
/* Returns the least ns that interrupts take of a sample that long. by_cpu: of its CPU time. */
double et_sampler_least_loss(
	const struct et_sampler *s, double sample_ns, bool by_cpu, double *uncertainty_ns);
