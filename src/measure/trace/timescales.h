/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long the events of a computer take (Bryant & O'Hallaron, Computer Systems, "Measuring program
 * execution time", Figure 9.1), from an arithmetic operation to a new process. Each is measured
 * many times on one CPU.
 */
#pragma once

#include "base/error.h"
#include "clock/timer.h"

enum { ET_TIMESCALES_MOST = 12 };

struct et_timescale {
	const char *name;          /* as in JSON: "system-call" */
	const char *what;          /* one line that defines it */
	const char *missing;       /* why it was not measured; NULL: it was */
	struct et_clock_spread ns; /* n values, each the mean of a batch */
};

struct et_timescales {
	int cpu;
	struct et_timescale list[ET_TIMESCALES_MOST];
	size_t n, total; /* measured so far, and in all */
	bool cut_short;  /* the pulse ended it */
};

/*
 * Measures on a CPU, or on the present one if it is -1, in about 5 s; on a busy machine longer. The
 * thread's affinity is restored, and its children have ended. The pulse is called between events.
 * Returns 0, or -errno if the thread may not run on that CPU or there is no memory.
 */
int et_timescales_measure(
	int cpu, const struct et_pulse *pulse, struct et_timescales *out) ET_CHECK;
