/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function whose true time is known, because it times itself. It works in blocks of some
 * microseconds and reads the processor's counter after each. A block that was interrupted is longer
 * than its neighbours and is replaced by their median. The sum of the blocks is then the time that
 * the function would have taken without interruption, at the frequency that the core had at that
 * moment. A line fitted to short calls cannot give this truth: the frequency of today's cores
 * changes by some percent within milliseconds.
 *
 * The blocks are dependent chains of multiplications in a register, on which the hyper-thread
 * sibling has the least influence.
 */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct et_self_timed {
	size_t blocks;   /* per call */
	uint32_t *ticks; /* counter ticks of each block, call after call */
	size_t capacity; /* calls that ticks has room for; later calls work but are not recorded */
	size_t calls;    /* recorded so far */
	uint64_t value;  /* the result, kept so that the compiler does not drop the work */
	/* While *cancelled is nonzero, calls end early and are not recorded. May be NULL. */
	const volatile sig_atomic_t *cancelled;
};

/* Allocates room for `capacity` calls and touches it, so that no call causes a page fault. */
void et_self_timed_init(struct et_self_timed *f, size_t blocks, size_t capacity);
void et_self_timed_free(struct et_self_timed *f);
/* The function itself; its argument is a struct et_self_timed. */
void et_self_timed_call(void *f);
/* Returns the true time of a recorded call, in counter ticks. */
double et_self_timed_truth(const struct et_self_timed *f, size_t call);
/* The same for the recorded call that was shortest including interruptions; NaN without calls. */
double et_self_timed_shortest(const struct et_self_timed *f);
/* Returns the true time of one block, in counter ticks, so that callers can choose `blocks`. */
double et_self_timed_block(void);

/* The work of a block: some microseconds, on a value other than 0. */
uint64_t et_self_timed_chain(uint64_t x);
/* The sum of n blocks; one longer than limit times the median of its neighbours counts as that. */
double et_undisturbed_sum(const uint32_t *ticks, size_t n, double limit);

/*
 * The timer interrupts that a self-timed call met (lab/self_timed.h): those that came while it ran,
 * and not those that came while another process had the CPU. The chapter counts all of them by
 * times(), which subtracts too much under load.
 */
struct et_ticks_met {
	size_t met;
	size_t seen;  /* of these, which made the blocks around them longer */
	double least; /* the shortest such lengthening, in counter ticks; infinite if none */
};

/*
 * blocks: the durations of n blocks, in counter ticks. since: from the last timer interrupt to the
 * end of the last block. A block of at least `preempted` contains a time slice of another process,
 * so the interrupts in it are not counted.
 */
struct et_ticks_met et_ticks_met_count(
	const uint32_t *blocks, size_t n, double since, double interval, double preempted);

/* The timer interrupts of this machine: one every interval_ns of CLOCK_MONOTONIC. */
struct et_tick_phase {
	double interval_ns; /* 0: unknown */
	double phase_ns;    /* the remainder of their times divided by the interval */
};

/* Finds it from the steps of CLOCK_MONOTONIC_COARSE. Takes some tenths of a second. */
struct et_tick_phase et_tick_phase_find(void);
/* Returns the time from the last timer interrupt to now_ns; NaN if the interval is unknown. */
double et_tick_phase_since(const struct et_tick_phase *p, double now_ns);
