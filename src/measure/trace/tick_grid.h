/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the kernel's ticks among the timer interrupts that it recorded. Pure functions.
 *
 * One interrupt serves all timers of a CPU: the tick, and the timers of sleeping processes. Ticks
 * are due at equal distances of CLOCK_MONOTONIC, so most timer interrupts have the same phase. The
 * first interrupt after a tick is due serves it, however late it comes, because the kernel runs all
 * expired timers; only an idle CPU may have stopped its tick.
 */
#pragma once

#include "model/sample/trace.h"

struct et_tick_grid {
	double interval_ns;
	double uncertainty_ns; /* its standard uncertainty; 0: fewer than three ticks were on time
				*/
	size_t n;
};

/*
 * records are in order of start. nominal_ns is the kernel's interval; 0: it is not known, and the
 * median distance of the interrupts is taken. ticks[i] is set to whether record i is a tick.
 * Returns 0, or -ENOENT if there is none.
 */
int et_tick_grid_find(const struct et_timer_record *records, size_t n, uint64_t nominal_ns,
	bool *ticks, struct et_tick_grid *out) ET_CHECK;
