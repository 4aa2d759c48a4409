/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps experiments and reads them back. The scheme of the URL decides which database holds them.
 * A sample that was added is durable when et_store_flush has returned 0.
 */
#ifndef ET_STORE_STORE_H
#define ET_STORE_STORE_H

#include "base/error.h"
#include "model/experiment.h"
#include "model/summary.h"

struct et_store;

enum et_store_mode {
	ET_STORE_READ,  /* the store must exist */
	ET_STORE_WRITE, /* a missing file is created, readable by its user only (mode 0600) */
	/* WRITE, and missing parent folders are created: for a path that the user did not type. */
	ET_STORE_CREATE_PATH,
};

/* url as the user gave it: a scheme and what follows it, or the plain path of a file. */
int et_store_open(const char *url, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;
void et_store_close(
	struct et_store *s); /* rolls back samples that were not flushed; NULL is fine */
const char *et_store_url(const struct et_store *s);

/* A kind of store that etalon knows. */
struct et_store_kind {
	const char *name;
	/*
	 * The version of the library that is loaded, which need not be the one that etalon was
	 * built with; NULL if this build has no stores of the kind.
	 */
	const char *version;
};

/* The i-th kind, from 0; false after the last. */
bool et_store_kind(size_t i, struct et_store_kind *out);

/* Keeps the experiment's plan, host and commands, but no samples; durable on return. */
int et_store_begin(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * Keeps a finished experiment with all of its samples, or nothing of it. Other writers wait until
 * it is done (about four seconds per million samples).
 */
int et_store_keep(struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * Adds one sample of the experiment to the open group, and opens a group if there is none. Other
 * writers wait while a group is open: flush at least every 50 ms. After a failure the group is as
 * it was before, or the database has rolled it back (for example if the disk is full); samples
 * that were flushed are kept.
 */
int et_store_add(struct et_store *s, const char *id, const struct et_sample *sample,
	struct et_error *err) ET_CHECK;
/* Makes everything that was added durable. Without an open group it does nothing. */
int et_store_flush(struct et_store *s, struct et_error *err) ET_CHECK;
/* Records how the experiment ended, or that it is resumed (ET_STATE_RUNNING). Flushes. */
int et_store_set_state(struct et_store *s, const char *id, enum et_state state, uint64_t wall_ns,
	struct et_error *err) ET_CHECK;
/*
 * Records the removal and the marks of a sample that is in the store already; its order and
 * command identify it. Part of the open group like et_store_add.
 */
int et_store_set_removal(struct et_store *s, const char *id, const struct et_sample *sample,
	struct et_error *err) ET_CHECK;

/*
 * Locks the experiment for this handle: at most one process at a time runs an experiment or
 * removes it. -EBUSY if another handle holds the lock for longer than a second. The lock ends with
 * et_store_release or et_store_close, and with the process however it dies. A handle holds one
 * lock at a time; the experiment need not be in the store yet.
 */
int et_store_claim(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
void et_store_release(struct et_store *s); /* does nothing without a lock */

/*
 * Finds one experiment. name is "last", an id, a label (the newest experiment of that label) or an
 * unambiguous prefix of an id, tried in this sequence. -ENOENT if there is none, -EINVAL if the
 * prefix is ambiguous.
 */
int et_store_find(struct et_store *s, const char *name, char id[40], struct et_error *err) ET_CHECK;
/* The newest experiment that is not done, for resuming without an id. */
int et_store_find_unfinished(struct et_store *s, char id[40], struct et_error *err) ET_CHECK;
/* The whole experiment with its samples and their culprits. */
int et_store_load(struct et_store *s, const char *id, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
int et_store_remove(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;

/* Returns 0 to continue. The texts are valid during the call only, which must not use the store. */
typedef int (*et_store_summary_fn)(void *ctx, const struct et_summary *s);
/* Calls fn for each experiment, newest first, at most limit times (0: for all). */
int et_store_list(struct et_store *s, size_t limit, et_store_summary_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;

/*
 * Facts about the machine that outlive experiments, such as a calibration; their values are texts.
 * A fact that is not in the store gives 0 and *value NULL; the caller frees the value. Setting one
 * flushes.
 */
int et_store_get_fact(
	struct et_store *s, const char *key, char **value, struct et_error *err) ET_CHECK;
int et_store_set_fact(
	struct et_store *s, const char *key, const char *value, struct et_error *err) ET_CHECK;

#endif
