/* SPDX-License-Identifier: MIT */
/* The place within a fixed interval at which most of a series of events occur. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
