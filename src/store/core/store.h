/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps experiments and reads them back. The scheme of the URL decides which database has them.
 * Samples are added in groups; a group is one transaction, which et_store_flush commits. All
 * functions return 0 or -errno with err filled, unless stated otherwise. A function that takes
 * an id returns -ENOENT if the store has no such experiment.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"

struct et_store;

enum et_store_mode {
	ET_STORE_READ,     /* the store must exist */
	ET_STORE_WRITE,    /* a missing file is created, readable by its user only (mode 0600) */
	ET_STORE_EXISTING, /* WRITE, but the store must exist */
	/* WRITE, and missing parent folders are created: for a path that the user did not type. */
	ET_STORE_CREATE_PATH,
	/*
	 * WRITE, and a central store of an older schema is migrated, which the other modes refuse;
	 * a database that has tables of other programs gets those of a store, too.
	 */
	ET_STORE_SETUP,
};

/*
 * Opens a store and migrates its schema if an older etalon made it. url is what the user gave: a
 * scheme and what follows it, or the plain path of a file.
 */
int et_store_open(const char *url, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;

/* How long to wait for a server. All members may be zero. A store in a file ignores it. */
struct et_patience {
	unsigned silence_s;  /* without a byte from the server; 0: a minute */
	int (*signal)(void); /* returns the signal that asked etalon to end, or 0; or NULL */
};

/* The same with a patience other than the default. */
int et_store_open_within(const char *url, enum et_store_mode mode,
	const struct et_patience *patience, struct et_store **out, struct et_error *err) ET_CHECK;
/* Rolls back samples that were not flushed. NULL is fine. */
void et_store_close(struct et_store *s);
/* As given to et_store_open, without passwords. */
const char *et_store_url(const struct et_store *s);
/* Returns a URL without passwords, to be shown or recorded. Any text is fine. Caller frees. */
char *et_store_url_without_secrets(const char *url) ET_CHECK;
/* Whether the URL names a central store on a server, not a file. */
bool et_store_url_is_server(const char *url);
/* Whether this build has stores on servers. */
bool et_store_has_server(void);
/* Whether other users, except root, may have written to the store. */
bool et_store_is_shared(const struct et_store *s);

/* A kind of store that etalon knows. */
struct et_store_kind {
	const char *name;
	/*
	 * The version of the library that is loaded, which need not be the one that etalon was
	 * built with; NULL if this build has no stores of the kind.
	 */
	const char *version;
};

/* Fills in the i-th kind, counted from 0. Returns false after the last. */
bool et_store_kind(size_t i, struct et_store_kind *out);

/* The version of the tables that this etalon makes. */
int et_store_schema_version(void);
/* The wall clock of the server, since 1970. -ENOTSUP: the store is a file. */
int et_store_clock(struct et_store *s, int64_t *wall_ns, struct et_error *err) ET_CHECK;

/*
 * Keeps the experiment's plan, host and commands, but no samples; durable on return. -EEXIST if the
 * store has an experiment of that id.
 */
int et_store_begin(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * The same with all samples, in one transaction. Other writers wait until it is done (about four
 * seconds per million samples).
 */
int et_store_keep(struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * Adds one sample of the experiment to the open group, and opens a group if there is none. Other
 * writers wait while a group is open: flush at least every 50 ms. A failure leaves the group as it
 * was before, or loses the group (for example if the disk is full), but no sample that was flushed.
 * A sample with a profile of a run (measured.profile, whose `of` is set) brings it, and the
 * functions and contexts that are new with it.
 */
int et_store_add(struct et_store *s, const char *id, const struct et_sample *sample,
	struct et_error *err) ET_CHECK;
/* Makes the open group durable. Does nothing if there is none. */
int et_store_flush(struct et_store *s, struct et_error *err) ET_CHECK;
/* Whether a group is open: after a failure, whether the samples before it are still in the group.
 */
bool et_store_in_group(const struct et_store *s);
/* Rolls back the open group, so that its samples can be added again. */
void et_store_discard(struct et_store *s);
/*
 * Records that the experiment ended at wall_ns, or that it is resumed (ET_STATE_RUNNING, wall_ns is
 * not used). Flushes.
 */
int et_store_set_state(struct et_store *s, const char *id, enum et_state state, uint64_t wall_ns,
	struct et_error *err) ET_CHECK;
/* Adds one factor to the environment of an experiment, as the given number from 0. Flushes. */
int et_store_add_factor(struct et_store *s, const char *id, size_t number,
	const struct et_factor *factor, struct et_error *err) ET_CHECK;
/* Records the files of a command, which its warm-up has shown. Flushes. */
int et_store_set_files(struct et_store *s, const char *id, size_t command,
	const struct et_files *files, struct et_error *err) ET_CHECK;
/*
 * Records the removal and the marks of a sample that is in the store already; its order and
 * command identify it. This becomes part of the open group, as with et_store_add.
 */
int et_store_set_removal(struct et_store *s, const char *id, const struct et_sample *sample,
	struct et_error *err) ET_CHECK;
/*
 * Records by which checks the experiment is judged: its protocol, its metric, whether all samples
 * are kept, and what became of the first check. This becomes part of the open group, too.
 */
int et_store_set_checks(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/* Records the plan of an experiment that is continued with another gate or budget. Flushes. */
int et_store_set_plan(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/* Records how often functions are called: all numbers of its profile. Flushes. */
int et_store_set_calls(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;

/*
 * Locks the experiment, so that at most one process at a time runs or removes it. -EBUSY if another
 * et_store holds the lock for longer than a second. The lock ends with et_store_release or
 * et_store_close, or when the process ends. An et_store holds one lock at a time. The experiment
 * need not be in the store yet.
 */
int et_store_claim(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
void et_store_release(struct et_store *s); /* does nothing without a lock */

/*
 * Finds one experiment. name is "last", an id, a label (the newest experiment of that label) or an
 * unambiguous prefix of an id, tried in this sequence. -ENOENT if there is none, -EINVAL if the
 * prefix is ambiguous.
 */
int et_store_find(struct et_store *s, const char *name, char id[40], struct et_error *err) ET_CHECK;
/*
 * Finds the newest experiment that is running or interrupted and was measured on that machine, not
 * imported; -ENOENT if there is none.
 */
int et_store_find_unfinished(
	struct et_store *s, const char *machine, char id[40], struct et_error *err) ET_CHECK;
/* Loads an experiment with its samples, their culprits and its profile. The caller frees *out. */
int et_store_load(struct et_store *s, const char *id, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
/*
 * Loads its head, without what its runs added: no samples, and of a profile the plan only. This
 * takes the same time however many runs there are. A metric that samples decide (metric_auto) is
 * open.
 */
int et_store_load_head(struct et_store *s, const char *id, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
/* Removes an experiment, which the caller has claimed. */
int et_store_remove(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;

/*
 * A callback for et_store_list. It returns 0 to continue and must not use the store. The texts of
 * the summary are valid during the call only.
 */
typedef int (*et_store_summary_fn)(void *ctx, const struct et_summary *s);
/* Calls fn for each experiment, newest first, at most limit times (0: for all). */
int et_store_list(struct et_store *s, size_t limit, et_store_summary_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;

/*
 * Facts are texts about a machine that outlive experiments, such as the cutoffs of daemons. The
 * identity of the machine is as et_host_identity describes it; "" is none. Getting a fact falls
 * back to those of earlier versions, which have no machine. Getting one that is not in the store
 * sets *value to NULL and returns 0. The caller frees *value. A value is not empty. Setting or
 * removing one flushes; removing one that is not in the store does nothing.
 */
int et_store_get_fact(struct et_store *s, const char *machine, const char *key, char **value,
	struct et_error *err) ET_CHECK;
int et_store_set_fact(struct et_store *s, const char *machine, const char *key, const char *value,
	struct et_error *err) ET_CHECK;
int et_store_remove_fact(
	struct et_store *s, const char *machine, const char *key, struct et_error *err) ET_CHECK;

/*
 * Makes the roles etalon_read, etalon_add and etalon_edit, and the rules about who may change which
 * rows; it may be called again. The store was opened with ET_STORE_SETUP by the owner of the
 * database. *have_roles is false if the user may not create roles: an administrator has to execute
 * et_setup_roles first, and then this is to be called again.
 */
int et_store_setup(struct et_store *s, bool *have_roles, struct et_error *err) ET_CHECK;

extern const char et_setup_roles[];
