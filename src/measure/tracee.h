/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program seen by the scheduler's records: when it was off its CPU, and for whom. It runs on one
 * CPU, as `etalon run` runs programs, with all that it starts.
 */
#ifndef ET_MEASURE_TRACEE_H
#define ET_MEASURE_TRACEE_H

#include "base/error.h"
#include "measure/sched_stream.h"
#include "model/executor.h"
#include "model/trace.h"

struct et_tracee_options {
	char *const *argv;
	char *const *envp; /* ours; what is not the program's is taken out */
	int cpu;           /* -1: the last one that we may use */
	bool virtual_machine;
	struct et_interrupt *interrupt;
};

/*
 * Runs it to its end. *status is as wait gives it. Needs the scheduler's records: exit 3 without.
 * 0 or -EINTR (a signal ended it) with *out filled, which the caller frees then.
 */
int et_tracee_run(const struct et_tracee_options *o, struct et_trace *out, int *status,
	struct et_error *err) ET_CHECK;

/* The pure half: the trace of a window from the records of its CPU, in order of their starts. */
struct et_tracee_window {
	uint64_t t0_ns, t1_ns;
	const int32_t *ours; /* processes and threads of the program, ascending */
	size_t n_ours;
};

void et_tracee_periods(const struct et_tracee_window *w, const struct et_sched_event *happened,
	size_t n, struct et_trace *t);

#endif
