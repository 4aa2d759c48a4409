/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes samples durable between runs, never during one, because writing to the store would
 * disturb the program. A sample of a program of 20 ms or more is durable before the next run
 * starts. Samples of shorter programs are committed in groups, and none of them waits longer than
 * 50 ms, provided that the next run takes at most twice as long as expected.
 */
#ifndef ET_SESSION_RECORDER_H
#define ET_SESSION_RECORDER_H

#include "base/clock.h"
#include "store/store.h"

struct et_recorder {
	struct et_store *store;
	const char *id; /* of the experiment */
	const struct et_clock *clock;
	struct et_sample *waiting; /* finished, not yet in the store */
	size_t n, cap;
	uint64_t group_ns; /* when the oldest of them was finished */
};

/* Copies n samples that have just been finished. */
void et_recorder_keep(struct et_recorder *r, const struct et_sample *s, size_t n);
/* Flushes, unless there is time for a run that is expected to take next_ns. */
int et_recorder_settle(struct et_recorder *r, uint64_t next_ns, struct et_error *err) ET_CHECK;
/*
 * Makes all samples durable that the store takes, and reports the first error. A sample that the
 * store did not take waits for the next flush.
 */
int et_recorder_flush(struct et_recorder *r, struct et_error *err) ET_CHECK;
void et_recorder_free(struct et_recorder *r); /* samples that were not flushed are lost */

#endif
