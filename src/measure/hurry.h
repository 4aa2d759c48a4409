/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fork bomb of hundreds of processes leaves a process that kills them a small share of the CPU.
 * With a real-time priority the kills come before the next forks.
 */
#ifndef ET_MEASURE_HURRY_H
#define ET_MEASURE_HURRY_H

#include "base/attr.h"

#include <sched.h>
#include <stdbool.h>

/* Needs CAP_SYS_NICE. False if the priority was not changed. */
static inline bool et_hurry_begin(void)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	return sched_getscheduler(0) == SCHED_OTHER &&
	       sched_setscheduler(0, SCHED_FIFO, &lowest) == 0;
}

static inline void et_hurry_end(void)
{
	const struct sched_param none = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &none);
}

#endif
