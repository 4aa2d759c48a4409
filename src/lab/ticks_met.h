/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timer interrupts that a self-timed call met (lab/self_timed.h): those that came while it ran,
 * and not those that came while another process had the CPU. The chapter counts all of them by
 * times(), which subtracts too much under load.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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
