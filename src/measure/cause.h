/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an inactive period is put down to. Pure functions over a trace and records. */
#ifndef ET_MEASURE_CAUSE_H
#define ET_MEASURE_CAUSE_H

#include "measure/sched_stream.h"
#include "model/trace.h"

/*
 * Joins the periods from `from` on with the scheduler's and the interrupts' records of their CPU,
 * in order of their starts, those of the traced thread itself left out. A period is put down to
 * what took most of it: a process, the timer interrupt (with the soft interrupts it raised),
 * another interrupt. One of at least ET_CAUSE_LONG_NS whose records cover less than half of it
 * stays unknown: whatever took it does not run on this kernel. Where several processes ran in a
 * period it bears the name of one, and the sums of the takers give each its share. A period that
 * is more than twice as long as a program was ready to run at all (t->ready_ns) it slept.
 */
#define ET_CAUSE_LONG_NS 200000
void et_cause_join(
	struct et_trace *t, size_t from, const struct et_sched_event *happened, size_t n);

/*
 * Without records of processes: *switches is how often the thread was switched out and not yet put
 * down to a period. The longest periods that are unknown get one each.
 */
void et_cause_switches(struct et_trace *t, uint64_t *switches);

/*
 * The longest unknown periods, of at least ET_STEAL_LEAST_NS, are steal as long as *stolen_ns
 * lasts: the kernel tells it in ticks of 10 ms.
 */
#define ET_STEAL_LEAST_NS 1000000
void et_cause_steal(struct et_trace *t, uint64_t *stolen_ns);

/*
 * Finds the timer interrupts by their regularity (clock/ticks.h) and fills t->timer; with the
 * interval said to be known, the counter's rate follows from it. assign: periods that are unknown
 * and begin with a tick are the timer's; long_is_process: unless they last half an interval or
 * more, which no interrupt does and another process does.
 */
void et_cause_regular(struct et_trace *t, bool assign, bool long_is_process);

#endif
