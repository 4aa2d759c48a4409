/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Delivers experiments from the spool to central stores: for `sync`, and when a command ends. */
#pragma once

#include "base/clock.h"
#include "cli/cli.h"
#include "model/sample/executor.h"
#include "store/central/spool.h"

/* How to try again what a central store did not answer. A test can play the time. */
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

/* Delivers one experiment of the store `from`; et_outbox_deliver is one. */
typedef int et_deliverer(struct et_store *from, struct et_store *central,
	const struct et_outbox_entry *entry, enum et_delivered *out, struct et_error *err) ET_CHECK;

struct et_delivery {
	/* Only what waits for this URL, as the outbox has it; NULL: for all. */
	const char *destination;
	const char *url; /* of this destination with its password; NULL: as the outbox has it */
	const char *experiment; /* only this one, also if it was delivered before; NULL: all */
	/* How long each is tried, until a signal arrives; NULL: once, and signals end us. */
	const struct et_persistence *persistence;
	/*
	 * Called for each experiment: rc is 0, or the error that err describes; -EBUSY is that of
	 * an experiment that is being measured or delivered. May be NULL.
	 */
	void (*done)(void *ctx, const struct et_outbox_entry *entry, int rc, enum et_delivered how,
		const struct et_error *err);
	void *ctx;
	/* filled */
	size_t delivered, failed, busy;
	struct et_error first; /* of the failures */
};

/*
 * Delivers the entries of the outbox that wait. Failures are counted and recorded in the outbox; an
 * error is returned if the spool itself fails.
 */
int et_delivery_run(struct et_store *spool, struct et_delivery *d, struct et_error *err) ET_CHECK;
/* The same of a list of experiments in any store, by another deliverer; no outbox is changed. */
void et_delivery_send(struct et_store *from, const struct et_outbox *all, et_deliverer *deliver,
	struct et_delivery *d);

/*
 * The end of a command that measured: delivers what waits for its central store, in another process
 * and for at most a few seconds. Returns status.
 */
int et_delivery_end(const struct et_cli *cli, int status) ET_CHECK;
