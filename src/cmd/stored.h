/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The store that the user means, and experiments in it. `show`, `export` and `report` load one
 * experiment, compute its results and write them; they differ only in what they write.
 */
#ifndef ET_CMD_STORED_H
#define ET_CMD_STORED_H

#include "cmd/cli.h"
#include "model/result.h"
#include "report/profile.h"
#include "store/store.h"

/*
 * Opens the store of --store, of ETALON_STORE, or the user's own. If cli->measures is set and this
 * is a server, the spool is opened instead: measuring never waits for a server. main() delivers at
 * the end (cmd/delivery.h).
 */
int et_stored_open(const struct et_cli *cli, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;
/* Whether cli->measures is set and the store is a server. */
bool et_stored_is_spooled(const struct et_cli *cli);
/* The path of the spool; the caller frees it. */
int et_stored_spool_path(char **out, struct et_error *err) ET_CHECK;
/*
 * Opens for reading the store that has the experiment of that id or label: of commands that
 * measure the spool, or else the server; of others the server, or else the spool, which one line
 * on stderr reports. -ENOENT: there is none.
 */
int et_stored_locate(const struct et_cli *cli, const char *name, struct et_store **out, char id[40],
	struct et_error *err) ET_CHECK;
/* Adds a hint to -ENOENT if an experiment to be resumed is not in the spool. Returns rc. */
int et_stored_hint(const struct et_cli *cli, int rc, struct et_error *err) ET_CHECK;
/* Loads the experiment of that id or label; the caller frees it. -ENOENT: there is none. */
int et_stored_fetch(const struct et_cli *cli, const char *name, struct et_experiment **out,
	struct et_error *err) ET_CHECK;

/* Stores an experiment that was not measured by this process. -EEXIST: its id is there already. */
int et_stored_keep(
	const struct et_cli *cli, const struct et_experiment *e, struct et_error *err) ET_CHECK;

/* An experiment and its results. */
struct et_stored {
	struct et_experiment *experiment;
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

/* The profile of the experiment, judged as `profile` does it without options. */
struct et_profiled et_stored_judge_profile(const struct et_stored *s);
/* Writes it in a format (report/profile.h) to a path; "-" is stdout. */
int et_stored_write_profile(const struct et_stored *s, const struct et_profile_format *format,
	const char *path, struct et_error *err) ET_CHECK;

struct et_format;
/* Writes an experiment in a format (report/format.h) to a path; "-" is stdout. */
int et_stored_write(const struct et_stored *s, const struct et_format *format, const char *path,
	struct et_error *err) ET_CHECK;

#endif
