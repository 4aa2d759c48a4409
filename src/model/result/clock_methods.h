/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of a program by clocks that are read inside and around it, and by EMP. */
#pragma once

#include "model/result/precision.h"

/* The program's own readings of a run; ET_UNKNOWN if there is none. */
struct et_inside_reading {
	uint64_t clock_ns, counter_ticks;
};

/* One per run of a command, in order of execution, with warm-up. */
struct et_inside {
	struct et_inside_reading *runs;
	size_t n, room;
};

enum et_clock_method {
	ET_CLOCK_INSIDE,   /* elapsed time, CLOCK_MONOTONIC, read by the program */
	ET_COUNTER_INSIDE, /* the same, the processor's counter */
	ET_CLOCK_AROUND,   /* elapsed time, CLOCK_MONOTONIC, read around the program */
	ET_COUNTER_AROUND, /* the same, the processor's counter */
	ET_BY_EMP,         /* CPU time by the protocol */
	ET_CLOCK_METHODS,
};

struct et_clock_run {
	double by[ET_CLOCK_METHODS]; /* NaN: not known */
	bool removed;                /* EMP does not count it */
};

/* All figures are in ns; those of the counter in ticks. */
struct et_clock_methods {
	const char *name; /* of the command; not owned */
	struct et_precision by[ET_CLOCK_METHODS];
	double counter_hz; /* by its ticks around these runs; NaN without a counter */
	struct et_clock_run *runs;
	size_t n;
};

static inline bool et_in_ticks(enum et_clock_method m)
{
	return m == ET_COUNTER_INSIDE || m == ET_COUNTER_AROUND;
}
