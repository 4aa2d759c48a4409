/* SPDX-License-Identifier: MIT */
/*
 * A series of times: its quartiles with the interval of its median by order statistics, and the
 * place within a fixed interval at which most of its events occur.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Unknown values are NaN. */
struct et_clock_spread {
	size_t n;
	double min, q1, median, q3;
	double lo, hi; /* the median's 95 % interval; NaN if n is less than 6 */
};

/* Sorts x. */
struct et_clock_spread et_spread_of(double *x, size_t n);
/*
 * Returns the largest r for which the interval from the r-th smallest to the r-th largest of n
 * values contains the median with a probability of at least 95 %; 0 if there is none.
 */
size_t et_median_rank(size_t n);

struct et_phase {
	double at;   /* from 0 to the interval */
	size_t seen; /* events within half a width of it */
};

/*
 * Finds the window of this width that contains most of the n events, whose times are reduced modulo
 * the interval in place. Returns its median, with `seen` 0 if n is 0.
 */
struct et_phase et_phase_find(double *times, size_t n, double interval, double width);
/* Whether a time is within half a width of a phase. */
bool et_phase_has(double at, double time, double interval, double width);
