/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes inactive periods of a trace to causes. Pure functions over a trace and records. */
#pragma once

#include "measure/trace/sched_stream.h"
#include "model/sample/trace.h"

/*
 * Joins the periods from index `from` with the records of the scheduler and of interrupts on their
 * CPU, which are in order of start and do not contain the traced thread itself. The cause of a
 * period is what took most of it: a process, the timer interrupt (with its soft interrupts), or
 * another interrupt. If the records cover less than half of a period of at least ET_CAUSE_LONG_NS,
 * its cause stays unknown: it does not run on this kernel. If several processes ran, the one that
 * ran longest gives its name, and each gets its share.
 */
#define ET_CAUSE_LONG_NS 200000
void et_cause_join(struct et_trace *t, size_t from, const struct et_sched_event *events, size_t n);

/*
 * For a trace without records of processes. *switches is the number of context switches of the
 * thread that have no period yet; each of the longest periods of unknown cause gets one.
 */
void et_cause_switches(struct et_trace *t, uint64_t *switches);

/*
 * Attributes the longest unknown periods to steal until *stolen_ns is used up. The kernel counts
 * steal in ticks of 10 ms, so periods shorter than a tenth of that (ET_STEAL_LEAST_NS) are not
 * considered.
 */
#define ET_STEAL_LEAST_NS 1000000
void et_cause_steal(struct et_trace *t, uint64_t *stolen_ns);

/*
 * Adds the timer interrupts among the records to t->records, each with the task that it
 * interrupted. The records are in order of start and do not contain the traced thread itself; call
 * it once for each of them.
 */
void et_cause_timers(struct et_trace *t, const struct et_sched_event *events, size_t n);

struct et_tick_grid {
	double interval_ns;
	double uncertainty_ns; /* its standard one; 0: fewer than three ticks were on time */
	size_t n;
};
/*
 * Finds the ticks (ticks[i]) among the timer interrupts that the kernel recorded, in order of
 * start. One interrupt serves all timers of a CPU. Ticks are due at equal distances of
 * CLOCK_MONOTONIC, so most interrupts have the same phase. The first one after a tick is due serves
 * it, however late it comes, because the kernel runs all expired timers; only an idle CPU may have
 * stopped its tick. If nominal_ns is 0, the median distance of the interrupts is taken. -ENOENT if
 * there is no tick.
 */
int et_tick_grid_find(const struct et_timer_record *records, size_t n, uint64_t nominal_ns,
	bool *ticks, struct et_tick_grid *out) ET_CHECK;

/*
 * Moves ticks from t->records that begin before until_ns after the trace's beginning to t->ticks
 * and t->timer, and marks their periods. May be called again when there are more. False: no ticks
 * yet.
 */
bool et_cause_ticks(struct et_trace *t, uint64_t until_ns);

/*
 * Fills t->ticks and t->timer by the regularity of ticks (clock/ticks.h); hidden ones are
 * interpolated. An unknown rate of the counter follows from the kernel's interval. With `assign`,
 * unknown periods that begin with a tick are attributed to the timer; with `long_is_process`, those
 * of half an interval or more to another process, because no interrupt takes that long.
 */
void et_cause_regular(struct et_trace *t, bool assign, bool long_is_process);

/* The same for a trace of a file, which may contain its ticks; also fills the sums. */
void et_cause_of_file(struct et_trace *t);
