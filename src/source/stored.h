/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The store that the user means, and experiments in it. `show`, `export` and `report` load
 * experiments, compute their results and write them by their kinds (source/kind.h).
 */
#pragma once

#include "cli/cli.h"
#include "model/result/result.h"
#include "store/core/store.h"

/*
 * Opens the store of --store, of ETALON_STORE, or the user's own. If cli->measures is set and this
 * is a server, the spool is opened instead: measuring never waits for a server. main() delivers at
 * the end (conduct/delivery.h).
 */
int et_stored_open(const struct et_cli *cli, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;
/* Whether cli->measures is set and the store is a server. */
bool et_stored_is_spooled(const struct et_cli *cli);
/* Opens the spool for experiments that are to be delivered to that URL. */
int et_stored_open_spool(const char *url, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;
/* The experiments that this process has put into the outbox so far. */
const struct et_queued *et_stored_queued(void);
/* The path of the spool; the caller frees it. */
int et_stored_spool_path(char **out, struct et_error *err) ET_CHECK;
/*
 * Finds in a store what a name means, and sets id to the experiment that stands for it. A failure
 * (-ENOENT: it is not there) leaves ctx as it was, because another store may be tried.
 */
typedef int et_stored_find_fn(void *ctx, struct et_store *store, const char *name, char id[40],
	struct et_error *err) ET_CHECK;
/*
 * Opens for reading the store in which `find` succeeds: of commands that measure the spool, or else
 * the server; of others the server, or else the spool, which one line on stderr reports. The caller
 * closes *out.
 */
int et_stored_search(const struct et_cli *cli, const char *name, et_stored_find_fn *find, void *ctx,
	struct et_store **out, char id[40], struct et_error *err) ET_CHECK;
/* The same for one experiment of that id or label. */
int et_stored_locate(const struct et_cli *cli, const char *name, struct et_store **out, char id[40],
	struct et_error *err) ET_CHECK;
/* Adds a hint to -ENOENT if an experiment to be resumed is not in the spool. Returns rc. */
int et_stored_hint(const struct et_cli *cli, int rc, struct et_error *err) ET_CHECK;
/* Loads the experiment of that id or label; the caller frees it. -ENOENT: there is none. */
int et_stored_fetch(const struct et_cli *cli, const char *name, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
struct et_stored;
/* The same, and the store in which it was found, also on failure: et_stored_free frees both. */
int et_stored_load(const struct et_cli *cli, const char *name, struct et_stored *out,
	struct et_error *err) ET_CHECK;
void et_stored_free(struct et_stored *s); /* what it owns */

/* Stores an experiment that was not measured by this process. -EEXIST: its id is there already. */
int et_stored_keep(
	const struct et_cli *cli, const struct et_experiment *e, struct et_error *err) ET_CHECK;

/* An experiment and its results. */
struct et_stored {
	struct et_experiment *experiment;
	struct et_store *store;   /* where it was found, open */
	bool rejudged;            /* its samples were judged again since */
	struct et_warnings notes; /* that become part of the judgement */
	struct et_judgement judgement;
};

/* Writes the results of an experiment; ctx is the structure that the command's options fill. */
typedef int et_stored_write_fn(const struct et_cli *cli, const struct et_stored *s, const void *ctx,
	struct et_error *err) ET_CHECK;

/* Changes the experiment after it was loaded and before it is judged, or adds notes. */
typedef int et_stored_change_fn(
	const struct et_cli *cli, struct et_stored *s, void *ctx, struct et_error *err) ET_CHECK;

/*
 * A whole command: parses argv, loads the experiment that the only operand names ("last" without
 * one), and calls change, unless it is NULL, and write. Prints an error and returns the exit
 * status.
 */
int et_stored_run(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv, void *ctx,
	et_stored_change_fn *change, et_stored_write_fn *write) ET_CHECK;
