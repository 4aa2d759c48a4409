/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open store. Private to src/store. */
#ifndef ET_STORE_HANDLE_H
#define ET_STORE_HANDLE_H

#include "store/backend.h"

/* The key of a process's name; key 0 marks an empty entry. */
struct et_process_key {
	char name[16];
	int64_t key;
};

struct et_store {
	struct et_database *db;
	char *url;
	struct et_statement *statements[ET_SQL_LENGTH]; /* each is prepared when it is first used */
	bool in_group;                                  /* a write transaction is open */
	/* The experiment that a sample was last added to. */
	char id[40];
	int64_t key; /* its row, 0 if there is none */
	int64_t n_commands;
	int64_t uncounted; /* its samples in this group that its row does not count yet */
	/* Recent names, each at the place that its hash gives: most culprits need no query. */
	struct et_process_key processes[64];
};

/* Fills err: the store has no experiment of that id. Returns -ENOENT. */
int et_store_no_experiment(const struct et_store *s, const char *id, struct et_error *err);

#endif
