/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of activity as JSON: what `etalon trace --json` writes, or a file in the form of the
 * chapter's figures: mhz_estimate, timer_interval_ms, and under any number of names an object with
 * periods, each ["A" or "I", index, start, duration] in the counter's cycles. The text may be
 * anything at all: what is not right is an error (exit 2) that names the place.
 */
#ifndef ET_STORE_TRACE_H
#define ET_STORE_TRACE_H

#include "base/error.h"
#include "model/trace.h"

/* jansson holds all of a text in memory, some ten times its size. */
#define ET_TRACES_MOST_BYTES ((size_t)256 << 20)

struct et_traces {
	struct et_trace *list;
	size_t n, cap;
};

/* name names the file in errors. Causes are as the file tells, unknown where it does not. */
int et_traces_read(const char *data, size_t size, const char *name, struct et_traces *out,
	struct et_error *err) ET_CHECK;
void et_traces_free(struct et_traces *t);

#endif
