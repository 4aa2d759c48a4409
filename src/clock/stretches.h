/* SPDX-License-Identifier: MIT */
/*
 * How long code runs undisturbed under the present load, from the gaps of a spinning thread: for
 * runs of many lengths, the proportion of its own time that such a run loses to gaps if it begins
 * at a random moment. The fastest of several runs is a good estimate only up to the length of which
 * enough runs lose nothing.
 */
#pragma once

#include "clock/spread.h"

/* A gap: after how much running time it occurred, and how long it took. */
struct et_lost {
	double after_ns, ns;
};

enum { ET_STRETCH_ROWS = 64 };

/* Losses are proportions of the length. */
struct et_stretch_row {
	double length_ns;
	double fits; /* proportion of the runs that lose at most ET_STRETCH_LOSS */
	double best; /* the loss that a fifth of the runs does not exceed */
	double mean; /* the mean loss */
};

#define ET_STRETCH_LOSS 0.01

struct et_stretches {
	double ran_ns, lost_ns;       /* while the thread spun: with the CPU, and without it */
	double cpu_ns;                /* CPU time of the thread by the kernel; NaN: not known */
	size_t preempted;             /* gaps that are longer than an interrupt */
	struct et_clock_spread slice; /* running time from one of these to the next, in ns */
	/* Ascending by length, from 1 µs to a quarter of ran_ns at most. */
	struct et_stretch_row rows[ET_STRETCH_ROWS];
	size_t n_rows;
};

/*
 * Fills the rows, `preempted` and `slice` from n gaps in order within ran_ns of running time;
 * cpu_ns is copied. Returns 0 or -ENOMEM.
 */
int et_stretches_of(const struct et_lost *gaps, size_t n, double ran_ns, double cpu_ns,
	struct et_stretches *out) __attribute__((warn_unused_result));
