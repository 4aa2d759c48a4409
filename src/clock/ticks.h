/* SPDX-License-Identifier: MIT */
/*
 * Finds the kernel's timer interrupts (ticks) among the gaps of a spinning thread by their
 * regularity alone, without privileges or knowledge of the kernel's configuration.
 *
 * Ticks are evenly spaced: the search looks for the interval, from 0.5 to 25 ms, at whose multiples
 * most gaps begin, within 1/400 of the interval. Such a gap is a tick. At most a quarter of the
 * predicted places may be without a gap (three tenths over the whole series). Places within an
 * earlier gap cannot be observed and do not count. The scheduler preempts a thread on a tick too,
 * so a gap may begin like a tick and be longer.
 */
#pragma once

#include "clock/activity.h"

struct et_tick_fit {
	double interval;    /* between timer interrupts, in ticks of the counter */
	double uncertainty; /* its standard uncertainty, from the fit */
	uint64_t first;     /* reading at which the first one begins */
	size_t n;           /* observed timer interrupts */
	size_t covered;     /* predicted places within an earlier gap */
	size_t missed;      /* predicted places without a gap */
};

/*
 * gaps must be in order and must not overlap. hz is the counter's rate, to a few percent. interval
 * is that of the ticks if it is known, in ticks of the counter, else 0: gaps at a third of the
 * predicted places are enough then, since a thread that shares its CPU, or runs under a hypervisor,
 * observes no more. If ticks is not NULL, ticks[i] is set to whether gap i is a timer interrupt.
 * Returns 0, or -ENOENT if fewer than 4 are found or their regularity may be chance.
 */
int et_ticks_find(const struct et_gap *gaps, size_t n, double hz, double interval, bool *ticks,
	struct et_tick_fit *out) ET_CHECK;
