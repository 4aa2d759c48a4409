/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The probe measures how fast the machine is, before and after each run (doc/probe.md). A reading
 * is the median CPU time of nine laps (lap.h): CPU time, so that preemption is not mistaken for a
 * slow machine, and a median, so that an interrupt in one of the laps is not. It is taken on the
 * CPU to which the program is bound, or else on which it ended; before its start, on which the
 * previous run ended. Readings of a CPU are at least 10 ms apart, which bounds their cost to some 2
 * % of the time (4 % on a machine at half speed), so runs of short programs share readings.
 */
#pragma once

#include "base/base.h"

#include <sched.h>

struct et_probe {
	bool on;
	cpu_set_t home; /* the CPUs we ourselves may use */
	int cpu;        /* where the program is expected; -1: not known yet */
	/* The last reading. */
	int taken_cpu;
	uint64_t taken_ns;   /* CLOCK_MONOTONIC; 0: there is no reading */
	uint64_t reading_ns; /* CPU time of a lap */
};

/* Sets p->on, unless the CPU affinity cannot be read. */
void et_probe_open(struct et_probe *p, bool on);
/* The program is bound to these CPUs (NULL: to none); the next readings are on one of them. */
void et_probe_expect(struct et_probe *p, const cpu_set_t *cpus);
/* The program was last seen on this CPU, -1: not known. */
void et_probe_seen(struct et_probe *p, int cpu);
/* The reading before a run: a new one, or the last if it is less than 10 ms old. */
uint64_t et_probe_before(struct et_probe *p);
/* The reading after a run: ET_UNKNOWN if it is too early for another. */
uint64_t et_probe_after(struct et_probe *p);
