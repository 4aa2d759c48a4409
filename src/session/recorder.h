/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes samples durable between runs, never during one, because writing to the store would disturb
 * the program. Before a run that is expected to take 20 ms or more, all finished samples are made
 * durable. Between shorter runs they are committed in groups, and none of them waits longer than 50
 * ms, provided that no run takes more than twice as long as expected.
 */
#pragma once

#include "base/clock.h"
#include "store/core/store.h"

/* The caller sets the first four members, and all else to 0. */
struct et_recorder {
	struct et_store *store;
	const char *id; /* of the experiment */
	const struct et_clock *clock;
	const struct et_profile *profile; /* of the experiment, or NULL */
	struct et_sample *waiting;        /* finished, not yet in the store */
	size_t n, cap;
	uint64_t group_ns; /* when the oldest of them was finished, by clock->now_ns */
};

/* Copies n samples that have just been finished. */
void et_recorder_keep(struct et_recorder *r, const struct et_sample *s, size_t n);
/* Called before a run that is expected to take next_ns. Flushes if samples cannot wait for it. */
int et_recorder_settle(struct et_recorder *r, uint64_t next_ns, struct et_error *err) ET_CHECK;
/*
 * Adds all waiting samples to the store and makes them durable. A sample that the store refuses is
 * an error, but the others are made durable; it waits for the next flush. If the store itself
 * fails, for example because the disk is full, none of them is in the store, and all wait for the
 * next.
 */
int et_recorder_flush(struct et_recorder *r, struct et_error *err) ET_CHECK;
/* Samples that still wait are lost. */
void et_recorder_free(struct et_recorder *r);
