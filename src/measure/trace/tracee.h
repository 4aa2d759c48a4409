/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace of a program, from the scheduler's records: when it was off its CPU, and which process
 * or interrupt had the CPU then. The program and all its descendants run on one CPU.
 */
#pragma once

#include "base/error.h"
#include "measure/trace/sched_stream.h"
#include "model/sample/executor.h"
#include "model/sample/trace.h"

struct et_tracee_options {
	char *const *argv;
	char *const *envp; /* the environment of etalon; its own variables are removed */
	int cpu;           /* -1: the last one that etalon may use */
	bool virtual_machine;
	uint64_t tick_ns; /* interval of the kernel's tick; 0: not known */
	struct et_interrupt *interrupt;
};

/*
 * Runs the program to its end; *status is that of wait4(). 0 or -EINTR (after a signal) with *out
 * filled, which the caller frees. Otherwise -errno with err filled, for instance if the scheduler's
 * records are not available.
 */
int et_tracee_run(const struct et_tracee_options *o, struct et_trace *out, int *status,
	struct et_error *err) ET_CHECK;

/* The pure half: the trace of a window from the records of its CPU, in order of start. */
struct et_tracee_window {
	uint64_t t0_ns, t1_ns;
	const int32_t *ours; /* processes and threads of the program, ascending */
	size_t n_ours;
};

void et_tracee_periods(const struct et_tracee_window *w, const struct et_sched_event *events,
	size_t n, struct et_trace *t);
