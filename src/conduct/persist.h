/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries again what a central store did not answer. Time is passed in, so that a test can play it.
 */
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "model/sample/executor.h"

struct et_persistence {
	uint64_t limit_ns; /* no attempt begins later than this after the first one; 0: only one */
	const struct et_clock *clock;
	const struct et_interrupt *interrupt;  /* after a signal there is no further attempt */
	void (*pause)(void *ctx, uint64_t ns); /* sleeps; a signal ends it */
	void (*again)(void *ctx, const struct et_error *why); /* once, before the first pause */
	void *ctx;
};

/*
 * Calls `attempt` until it succeeds, fails in a way that no later attempt would mend, takes too
 * long, or a signal arrives. The pauses double from half a second to half a minute, and vary at
 * random. Returns the last result.
 */
int et_persist(const struct et_persistence *p, int (*attempt)(void *ctx, struct et_error *err),
	void *ctx, struct et_error *err) ET_CHECK;
