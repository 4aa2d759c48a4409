/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's timer interrupts among the gaps of a spinning thread, by their regularity alone: no
 * privileges, no knowledge of the kernel's configuration.
 *
 * A gap is a tick when it begins where a straight line expects one, to 1/400 of the interval. The
 * interval is the one (of 0.5 to 25 ms) on which most gaps begin, provided that it leaves out at
 * most a quarter of its places; places that lie within another gap cannot be seen and do not
 * count. A thread that lost its CPU to another process is interrupted on a tick, too: such a gap
 * is a tick and more.
 */
#ifndef ET_CLOCK_TICKS_H
#define ET_CLOCK_TICKS_H

#include "clock/activity.h"

struct et_tick_fit {
	double interval;    /* from one to the next, in the counter's ticks */
	double uncertainty; /* standard uncertainty of it, from the fit of all that were seen */
	uint64_t first;     /* where the first one that was seen begins */
	size_t n;           /* seen */
	size_t covered;     /* places within gaps that began before them */
	size_t missed;      /* places where there was no gap */
};

/*
 * The gaps are in order and apart from each other; hz is the counter's rate, which needs to be
 * right to a few percent only. ticks[i] (NULL: not wanted) tells whether gap i began on one.
 * 0, or -ENOENT when no regularity was found: fewer than 4 of them, or nothing that chance does
 * not explain.
 */
int et_ticks_find(const struct et_gap *gaps, size_t n, double hz, bool *ticks,
	struct et_tick_fit *out) ET_CHECK;

/*
 * The same where the interval is known, in the counter's ticks: a third of its places will do. On
 * a CPU that is shared, or under a hypervisor with a timer of its own, that is all there is.
 */
int et_ticks_find_every(const struct et_gap *gaps, size_t n, double hz, double interval,
	bool *ticks, struct et_tick_fit *out) ET_CHECK;

#endif
