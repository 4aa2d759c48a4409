/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series in, series out. One interface, several back ends chosen by the URL (sqlite:PATH).
 * A sample handed to et_store_add is durable when et_store_flush has returned 0.
 */
#ifndef ET_STORE_STORE_H
#define ET_STORE_STORE_H

#include "base/error.h"
#include "model/experiment.h"
#include "model/summary.h"

struct et_store;

enum et_store_mode {
	ET_STORE_READ,        /* the file must be there */
	ET_STORE_WRITE,       /* made, private to the user (0600), when it is not there */
	ET_STORE_CREATE_PATH, /* with the folders that it lies in, too: they are nobody's typing
				 error */
};

/* url as the user gave it: "sqlite:PATH", or a plain PATH. */
int et_store_open(const char *url, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;
void et_store_close(struct et_store *s); /* NULL is fine; what was not flushed is rolled back */
const char *et_store_url(const struct et_store *s);

/* A kind of store that etalon knows. */
struct et_store_kind {
	const char *name;
	/*
	 * Of the library that is loaded, which need not be the one that etalon was built with;
	 * NULL if this build has no stores of the kind.
	 */
	const char *version;
};

/* The i-th kind, from 0; false after the last. */
bool et_store_kind(size_t i, struct et_store_kind *out);

/* Keeps the experiment's plan, host and commands (not its samples), durable on return. */
int et_store_begin(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * Keeps a finished experiment with all of its samples, the whole of it or nothing; other writers
 * wait meanwhile (some four seconds a million samples).
 */
int et_store_keep(struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * Adds one sample of the experiment to the open group (a group is opened if none is). An open
 * group keeps other writers waiting: flush at least every 50 ms. A failed add leaves the group as
 * it was, or (when the disk is full, say) the store has given it up; what was flushed stays.
 */
int et_store_add(struct et_store *s, const char *id, const struct et_sample *sample,
	struct et_error *err) ET_CHECK;
/* Makes all that was added durable. Nothing open is no error. */
int et_store_flush(struct et_store *s, struct et_error *err) ET_CHECK;
/* How the experiment ended; for resume, back to ET_STATE_RUNNING. Flushes. */
int et_store_set_state(struct et_store *s, const char *id, enum et_state state, uint64_t wall_ns,
	struct et_error *err) ET_CHECK;
/*
 * Records that samples were removed or kept after all, and their marks (order and command name the
 * sample). Part of the open group like et_store_add.
 */
int et_store_set_removal(struct et_store *s, const char *id, const struct et_sample *sample,
	struct et_error *err) ET_CHECK;

/*
 * Locks the experiment for this handle: at most one process at a time runs an experiment or
 * removes it. -EBUSY if another handle holds the lock for longer than a second. It ends with
 * et_store_release or et_store_close, and with the process however it dies. A handle holds one
 * claim at a time; the experiment need not be in the store yet.
 */
int et_store_claim(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
void et_store_release(struct et_store *s); /* does nothing without a claim */

/*
 * Finds one experiment: "last", an id, a label (the newest of that label), or the unambiguous
 * beginning of an id, tried in this sequence. -ENOENT with an error that says so; -EINVAL when
 * ambiguous.
 */
int et_store_find(struct et_store *s, const char *name, char id[40], struct et_error *err) ET_CHECK;
/* The newest experiment that is not done, for resume without an id. */
int et_store_find_unfinished(struct et_store *s, char id[40], struct et_error *err) ET_CHECK;
/* The whole experiment with its samples (culprits too). */
int et_store_load(struct et_store *s, const char *id, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
int et_store_remove(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;

/* Returns 0 to continue. The texts are valid during the call only; the store must not be used. */
typedef int (*et_store_summary_fn)(void *ctx, const struct et_summary *s);
/* Calls fn for each experiment, newest first, at most limit (0: all). */
int et_store_list(struct et_store *s, size_t limit, et_store_summary_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;

/*
 * Facts about the machine that outlive experiments, such as a calibration; text values. A fact
 * that is not there gives 0 and *value NULL; the caller frees the value. Setting flushes.
 */
int et_store_get_fact(
	struct et_store *s, const char *key, char **value, struct et_error *err) ET_CHECK;
int et_store_set_fact(
	struct et_store *s, const char *key, const char *value, struct et_error *err) ET_CHECK;

#endif
