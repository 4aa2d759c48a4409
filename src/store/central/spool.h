/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The spool: an ordinary store in a local file, into which experiments are measured that belong
 * into a central store, and its outbox, which says what is to be delivered and where to. All
 * functions return 0 or -errno with err filled, unless stated otherwise.
 */
#pragma once

#include "store/core/store.h"

/*
 * Delivery copies an experiment from the spool to a central store, exactly once and in one
 * transaction.
 */
enum et_delivered {
	ET_DELIVERED_NEW,
	ET_DELIVERED_GROWN,  /* the central store had an earlier state of it, which was replaced */
	ET_DELIVERED_BEFORE, /* the central store has the same already: nothing was changed */
	ET_DELIVERED_STALE,  /* another attempt did the part, or has begun: nothing was changed */
};

/*
 * Delivers e with all its samples; e->member is the fence of a part of a campaign. A copy of the
 * same id by another owner, or with other contents that are not an earlier state of e, is a
 * conflict: -EEXIST with both named.
 */
int et_store_deliver(struct et_store *central, const struct et_experiment *e,
	enum et_delivered *out, struct et_error *err) ET_CHECK;

/* A digest of all that delivery copies, in hexadecimal digits; the same on both sides. */
enum { ET_DIGEST_SIZE = 65 };
void et_experiment_digest(const struct et_experiment *e, char out[ET_DIGEST_SIZE]);

/*
 * Sets *out to the path of the spool: `given` (ETALON_SPOOL) if that is not NULL or empty; else in
 * `folder`, where the user's own store is, if that is on a local file system, because SQLite's
 * locks do not work on all others; else in /var/tmp. The folder is made, for this user only. The
 * caller frees *out.
 */
int et_spool_path(const char *given, const char *folder, char **out, struct et_error *err) ET_CHECK;
/* The experiments that were put into an outbox: few. */
struct et_queued {
	char (*ids)[40];
	size_t n, room;
};

void et_queued_add(struct et_queued *q, const char *id);
bool et_queued_has(const struct et_queued *q, const char *id);

/*
 * Opens the spool. Experiments that are begun, kept or continued through this handle are put into
 * its outbox for that destination, a URL, of which passwords are not recorded. NULL: they are not.
 * Their ids are added to *queued, which must outlive the handle, unless that is NULL.
 */
int et_spool_open(const char *path, enum et_store_mode mode, const char *destination,
	struct et_queued *queued, struct et_store **out, struct et_error *err) ET_CHECK;
/* Returns the URL as an outbox has it: without passwords, and of a file with its whole path. */
char *et_spool_destination(const char *url) ET_CHECK;

/* An experiment that is to be delivered, or was. */
struct et_outbox_entry {
	char experiment[40];
	char *destination;
	uint64_t queued_wall_ns;
	uint64_t delivered_wall_ns; /* 0: it waits */
	uint64_t tried_wall_ns;     /* 0: never */
	char *error;                /* of the latest attempt that failed, or NULL */
	/* Of what was delivered; "" if it waits, or if another attempt did the part. */
	char digest[ET_DIGEST_SIZE];
	char *label;
	enum et_state state;
	uint64_t n_samples;
	int64_t generation; /* how often it was begun or continued */
};

struct et_outbox {
	struct et_outbox_entry *list;
	size_t n;
};

/* Reads the whole outbox, the oldest entries first. */
int et_outbox_read(struct et_store *spool, struct et_outbox *out, struct et_error *err) ET_CHECK;
void et_outbox_free(struct et_outbox *o);
/*
 * Delivers an experiment and records in the outbox how this ended. -EBUSY: it is being measured, or
 * another etalon is delivering it; nothing is recorded then.
 */
int et_outbox_deliver(struct et_store *spool, struct et_store *central,
	const struct et_outbox_entry *entry, enum et_delivered *out, struct et_error *err) ET_CHECK;
/* Records that an attempt failed, for instance because the destination cannot be reached. */
int et_outbox_fail(struct et_store *spool, const struct et_outbox_entry *entry, const char *why,
	struct et_error *err) ET_CHECK;
/* Lets an experiment wait for that destination, a URL, instead of those that it waits for. */
int et_outbox_redirect(struct et_store *spool, const char *id, const char *destination,
	struct et_error *err) ET_CHECK;
/* Removes a delivered experiment from the spool with its entries. */
int et_outbox_prune(struct et_store *spool, const char *id, struct et_error *err) ET_CHECK;

/* Experiments that others measured are pulled from a central store into a local one. */
struct et_pull_filter {
	const char *label;      /* NULL: any */
	const char *machine;    /* its identity or the name of its host; NULL: any */
	uint64_t since_wall_ns; /* started then or later */
	uint64_t limit;         /* only the newest; 0: all */
};

struct et_pull_item {
	char id[40];
	char digest[ET_DIGEST_SIZE]; /* "": not known */
	char machine[96];
};

struct et_pull {
	struct et_pull_item *list;
	size_t n;
};

/* Lists what fits the filter, the newest first. */
int et_pull_list(struct et_store *central, const struct et_pull_filter *filter, struct et_pull *out,
	struct et_error *err) ET_CHECK;
void et_pull_free(struct et_pull *p);
/*
 * Whether a store has the experiment with that digest: sets *out to BEFORE (the same), GROWN
 * (perhaps an earlier state) or NEW.
 */
int et_pull_check(struct et_store *local, const char *id, const char *digest,
	enum et_delivered *out, struct et_error *err) ET_CHECK;
/*
 * Copies an experiment, exactly once; its origin becomes ET_ORIGIN_IMPORTED, because its author
 * chose the commands that resuming it would run. An earlier state that was pulled before is
 * replaced; an experiment that was measured into the local store never is: -EEXIST.
 */
int et_pull_one(struct et_store *central, struct et_store *local, const struct et_pull_item *item,
	enum et_delivered *out, struct et_error *err) ET_CHECK;
