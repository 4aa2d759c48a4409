/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of a trace (model/sample/trace.h): what accounting by ticks would charge to each process,
 * and the share of inactive time to expect in the long run. After Bryant & O'Hallaron, Computer
 * Systems, first edition, chapter 9 (figure 9.7, practice problems 9.2 and 9.5).
 */
#pragma once

#include "model/sample/trace.h"

/* A process: the time that it used, and that ticks would charge. In ns; NaN: not known. */
struct et_charge {
	uint32_t who;     /* as et_tick.charged */
	const char *name; /* of a taker, in the trace; NULL for others */
	double time;      /* true time on the CPU; of the traced thread, without interrupts */
	double by_ticks;  /* by the ticks of the trace; NaN if it has none */
	/* By ticks that are 10 ms apart: the bounds over all instants at which the first comes. */
	double least, most;
	/* The modes of the traced thread, if it only computes. */
	double user, system, user_by_ticks, system_by_ticks;
};

struct et_charges {
	struct et_charge *list; /* the traced thread or program first, then others by their time */
	size_t n;
	double interval; /* of the ticks of the trace; 0: it has none */
};

/* The caller frees list. The trace must outlive it. */
void et_trace_charge(const struct et_trace *t, struct et_charges *out);

/*
 * The share of inactive time over whole cycles. A part of a cycle at either end of a trace distorts
 * the share of a short trace; a cycle lasts from the begin of one turn of other processes to that
 * of the next, or from tick to tick if there are fewer than two such cycles.
 */
struct et_long_run {
	double inactive;    /* share */
	double uncertainty; /* its standard uncertainty, from the cycles; NaN for one */
	size_t cycles;
	bool turns; /* cycles are turns of other processes, otherwise ticks */
};

/* False: the trace has no cycle. */
bool et_trace_long_run(const struct et_trace *t, struct et_long_run *out);
