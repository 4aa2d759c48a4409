/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps samples: each is durable before the next starts. Where every program is shorter than
 * 20 ms, commits are grouped so that no finished sample waits longer than 50 ms.
 */
#ifndef ET_SESSION_RECORDER_H
#define ET_SESSION_RECORDER_H

#include "base/clock.h"
#include "store/store.h"

struct et_recorder {
	struct et_store *store;
	const char *id;
	const struct et_clock *clock;
	struct et_sample *waiting; /* finished, not yet durable */
	size_t n, cap;
	uint64_t group_ns; /* when the oldest of them was finished */
};

/* As et_driver's keep and settle. */
void et_recorder_keep(struct et_recorder *r, const struct et_sample *s, size_t n);
int et_recorder_settle(struct et_recorder *r, uint64_t next_ns, struct et_error *err);
/* Makes durable what waits. */
int et_recorder_flush(struct et_recorder *r, struct et_error *err);
void et_recorder_free(struct et_recorder *r);

#endif
