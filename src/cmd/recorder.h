/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps samples: each is durable before the next starts. Where every program is shorter than
 * 20 ms, commits are grouped so that no finished sample waits longer than 50 ms.
 */
#ifndef ET_CMD_RECORDER_H
#define ET_CMD_RECORDER_H

#include "base/clock.h"
#include "store/store.h"

struct et_recorder {
	struct et_store *store;
	const char *id;
	const struct et_clock *clock;
	uint64_t group_ns; /* when the oldest sample of the open group was added; 0: none */
	bool long_runs;    /* a program of 20 ms or more has been seen */
};

/* As et_driver's keep. */
int et_recorder_keep(
	struct et_recorder *r, const struct et_sample *s, size_t n, struct et_error *err);

#endif
