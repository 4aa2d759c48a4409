/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast is the machine just now? A fixed loop on the program's CPU before and after each sample.
 *
 * A reading is the median CPU time of nine laps (lap.h), a fifth of a millisecond in all: CPU time,
 * so that being preempted is not taken for a slow machine; the median, so that an interrupt in one
 * of the laps is not. It is taken on the program's CPU; a program that is not bound to one is
 * probed behind its end where it ended, and before its start where the run before it ended.
 *
 * Readings come at most every 10 ms, which bounds their cost to some 2 % of the time: short
 * programs share them.
 */
#ifndef ET_MEASURE_PROBE_H
#define ET_MEASURE_PROBE_H

#include "base/attr.h"

#include <sched.h>
#include <stdbool.h>

struct et_probe {
	bool on;
	cpu_set_t home;      /* the CPUs we ourselves may use */
	int cpu;             /* where the program is expected; -1: not known yet */
	int taken_cpu;       /* of the last reading … */
	uint64_t taken_ns;   /* … when, CLOCK_MONOTONIC; 0: there is none … */
	uint64_t reading_ns; /* … and what it was */
};

/* on is turned off where CPUs cannot be chosen. */
void et_probe_open(struct et_probe *p, bool on);
/* The program is bound to these CPUs, or NULL; says where the next readings are taken. */
void et_probe_expect(struct et_probe *p, const cpu_set_t *cpus);
/* It was last seen on that CPU, -1: not known. */
void et_probe_seen(struct et_probe *p, int cpu);
/* The reading before a sample: a new one, or the last if it is young enough. */
uint64_t et_probe_before(struct et_probe *p);
/* The one after it: ET_UNKNOWN where it is too early for another. */
uint64_t et_probe_after(struct et_probe *p);

#endif
