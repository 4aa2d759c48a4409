/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `etalon sync`. Each returns the exit status, or -errno with err filled. */
#pragma once

#include "cli/cli.h"
#include "conduct/delivery.h"
#include "store/central/spool.h"

struct et_sync {
	bool status, json, dry_run, all, prune, setup;
	const char *from;
	const char
		*environment; /* ETALON_STORE as it was before the options were parsed, or NULL */
	struct et_pull_filter filter;
};

/* Delivers what waits in the spool, or experiments of the user's own store: ids, or all. */
int et_sync_deliver(
	const struct et_cli *cli, const struct et_sync *o, struct et_error *err) ET_CHECK;
int et_sync_upload(const struct et_cli *cli, const struct et_sync *o, char *const *names,
	struct et_error *err) ET_CHECK;
/* Removes from the spool what the central store has. */
int et_sync_prune(const struct et_cli *cli, const struct et_sync *o, struct et_error *err) ET_CHECK;

/* The central store that the user named with --store or ETALON_STORE, or NULL. */
const char *et_sync_central(const struct et_cli *cli);
/*
 * The store on this machine: ETALON_STORE unless that is a server, else the user's own file. The
 * caller frees it.
 */
char *et_sync_local_url(const struct et_sync *o) ET_CHECK;
/* Prints an error about one experiment, after its id, unless the text has it, and a lead. */
void et_sync_print_failure(const char *id, const char *lead, const struct et_error *err);
/* Opens the spool; *out is NULL if there is none yet. */
int et_sync_open_spool(struct et_store **out, struct et_error *err) ET_CHECK;
