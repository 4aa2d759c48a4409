/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads traces of activity from JSON. The text is a file that `etalon trace --json` wrote, or has
 * the form of the figures in Bryant & O'Hallaron's chapter on measuring time: mhz_estimate,
 * timer_interval_ms, and any number of named objects with periods, each ["A" or "I", index, start,
 * duration] in ticks of the counter. It is not trusted: every error (exit status 2) names the place
 * in it.
 */
#pragma once

#include "base/error.h"
#include "model/sample/trace.h"

/* A text is held in memory as a whole; what is read from it needs at most 20 times its size. */
#define ET_TRACES_MOST_BYTES ((size_t)256 << 20)

struct et_traces {
	struct et_trace *list;
	size_t n, cap;
};

/* name is that of the file, for errors. A period without a cause in the file has an unknown one. */
int et_traces_read(const char *data, size_t size, const char *name, struct et_traces *out,
	struct et_error *err) ET_CHECK;
void et_traces_free(struct et_traces *t);
