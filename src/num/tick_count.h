/* SPDX-License-Identifier: MIT */
/*
 * Accounting by ticks: a kernel that charges every tick of its timer, as a whole interval, to the
 * process that runs at that moment (Bryant & O'Hallaron, Computer Systems, first edition, chapter
 * 9, "Interval counting").
 */
#pragma once

#include <stddef.h>

/* The tick of the machines in that chapter. */
#define ET_CHAPTER_TICK_NS 10e6

/*
 * Returns the CPU time that ticks at phase, phase + tick, … would count. The process ran in the n
 * periods [from[i], to[i]); each tick in one of them counts as a whole tick.
 */
double et_interval_count(const double *from, const double *to, size_t n, double tick, double phase);

/* The smallest and largest count over all phases, of ordered disjoint periods. 0 or -ENOMEM. */
int et_interval_count_range(
	const double *from, const double *to, size_t n, double tick, double *least, double *most);
