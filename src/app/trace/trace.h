/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon trace`. */
#pragma once

#include "cli/cli.h"
#include "draw/progress.h"
#include "model/sample/executor.h"
#include "store/import/trace.h"

struct et_trace_request {
	uint64_t duration_ns, threshold_ns; /* 0: not given */
	int cpu;                            /* -1: not given */
	uint32_t loads;                     /* competing processes */
	bool json, all;
	const char *svg, *from;
	struct et_progress progress;
};

/*
 * Reads or records traces; argv is the program, or NULL. After a signal it returns -EINTR with the
 * traces until then. If it returns 0 and err is filled, the traces are valid but ended early, for
 * instance because the program failed.
 */
int et_trace_take(struct et_trace_request *r, char *const *argv, struct et_interrupt *interrupt,
	struct et_traces *all, struct et_error *err) ET_CHECK;
