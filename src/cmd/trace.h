/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `etalon trace` is asked for. */
#ifndef ET_CMD_TRACE_H
#define ET_CMD_TRACE_H

#include "cmd/cli.h"
#include "model/executor.h"
#include "report/progress.h"
#include "store/trace.h"

struct et_trace_request {
	uint64_t duration_ns, threshold_ns; /* 0: not given */
	int cpu;                            /* -1: not given */
	bool json, all;
	const char *svg, *from;
	struct et_progress progress;
};

/*
 * Reads or takes what is asked for; argv (or NULL) is the program. 0 or -EINTR with traces; err is
 * filled also with 0 when a trace is there and something about it went wrong.
 */
int et_trace_take(struct et_trace_request *r, char *const *argv, struct et_interrupt *interrupt,
	struct et_traces *all, struct et_error *err);

#endif
