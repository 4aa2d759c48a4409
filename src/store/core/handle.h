/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of an open store. Private to src/store. */
#pragma once

#include "store/core/backend.h"

/* The key of a process's name in the table `process`; key 0 marks an empty entry. */
struct et_process_key {
	char name[16];
	int64_t key;
};

struct et_store {
	struct et_database *db;
	char *url;
	char *destination; /* of a spool: where its experiments are to be delivered; or NULL */
	struct et_queued *queued; /* of a spool: the ids of these experiments; or NULL */
	const char *digest;       /* of the experiment that is being delivered, or NULL */
	char copied[96]; /* the machine whose row and facts were delivered or pulled last */
	struct et_statement *statements[ET_SQL_LENGTH]; /* each is prepared when it is first used */
	bool in_group;                                  /* a write transaction is open */
	size_t texts; /* the budget of the experiment that is being read or written: cursor.h */
	/* The experiment that a sample was last added to. */
	char id[40];
	int64_t key; /* of its row; 0: there is none */
	int64_t n_commands;
	int64_t uncounted; /* samples in this group that its row does not count yet */
	/* How many functions and nodes of its profile are in the store. */
	struct {
		bool known;
		int64_t functions, nodes;
		size_t texts; /* the budget that is left for the names of further functions */
	} profile;
	/* A cache of recent names, indexed by their hash, so that most culprits need no query. */
	struct et_process_key processes[64];
};

/* Reports that the store has no experiment of that id: fills err and returns -ENOENT. */
int et_store_no_experiment(const struct et_store *s, const char *id, struct et_error *err) ET_CHECK;

/*
 * Flushes the open group and begins a transaction; et_store_conclude commits it, or rolls it back
 * if rc is not 0, and returns rc or the failure to commit.
 */
int et_store_transact(struct et_store *s, struct et_error *err) ET_CHECK;
int et_store_conclude(struct et_store *s, int rc, struct et_error *err) ET_CHECK;
/* As et_store_keep and et_store_remove, but in the open transaction, which the caller ends. */
int et_store_put(struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
int et_store_drop(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
/*
 * Adds the summary of the selected experiment to the open group, from its samples in memory; the
 * other makes it anew from the store, because samples were added, or others count now.
 */
int et_store_put_summary(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
int et_store_summarise(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
/* Refuses a sample of a command that the selected experiment does not have. */
int et_store_check_place(
	const struct et_store *s, const struct et_sample *sample, struct et_error *err) ET_CHECK;
/*
 * Adds the samples and their culprits to the experiment that s->key names by COPY, in the open
 * transaction. The number of round trips to the server does not depend on the number of samples.
 */
int et_bulk_samples(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
