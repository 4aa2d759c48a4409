/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace of a program, from the scheduler's records: when it was off its CPU, and which process
 * or interrupt had the CPU then. The program and all its descendants run on one CPU.
 */
#pragma once

#include "measure/trace/sched_stream.h"
#include "measure/trace/tracer.h"

/*
 * Runs the program to its end, in etalon's environment without etalon's own variables; *status is
 * that of wait4(). 0 or -EINTR (after a signal) with *out filled, which the caller frees. Otherwise
 * -errno with err filled, for instance if the scheduler's records are not available.
 */
int et_tracee_run(const struct et_tracer_options *o, char *const *argv, struct et_trace *out,
	int *status, struct et_error *err) ET_CHECK;

/* The pure half: the trace of a window from the records of its CPU, in order of start. */
struct et_tracee_window {
	uint64_t t0_ns, t1_ns;
	const int32_t *ours; /* processes and threads of the program, ascending */
	size_t n_ours;
};

void et_tracee_periods(const struct et_tracee_window *w, const struct et_sched_event *events,
	size_t n, struct et_trace *t);
