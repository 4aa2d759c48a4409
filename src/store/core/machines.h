/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machines in a store: what they are, facts about them, and summaries of what was measured on each.
 * All functions return 0 or -errno with err filled. A callback returns 0 to continue and must not
 * use the store; what it is given is valid during the call.
 */
#pragma once

#include "model/experiment/machine_row.h"
#include "store/core/store.h"

/* Records that a machine was seen; a row that was seen later stays. Flushes. */
int et_store_put_machine(
	struct et_store *s, const struct et_machine_row *row, struct et_error *err) ET_CHECK;
typedef int (*et_machine_fn)(void *ctx, const struct et_machine_row *row);
/* Calls fn for the machine of that identity; NULL: for each. */
int et_store_list_machines(struct et_store *s, const char *machine, et_machine_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;

/* Sets a fact as another store has it, unless the one in this store is as new. Flushes. */
int et_store_put_fact(
	struct et_store *s, const struct et_fact *fact, struct et_error *err) ET_CHECK;
typedef int (*et_fact_fn)(void *ctx, const struct et_fact *fact);
/* Calls fn for each fact of the machine, also for those that were removed, which are "". */
int et_store_list_facts(struct et_store *s, const char *machine, et_fact_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;
/* Calls fn for the fact of that name of each machine, the newest first, until it returns not 0. */
int et_store_list_fact(struct et_store *s, const char *key, et_fact_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;

/*
 * Copies the row and the facts of a machine from one store to another, unless this handle did so
 * last: what is newer wins. Delivery calls it in one direction, and `sync --from` in the other.
 */
int et_store_copy_machine(struct et_store *from, struct et_store *to, const char *machine,
	struct et_error *err) ET_CHECK;

typedef int (*et_machine_count_fn)(void *ctx, const struct et_machine_count *count);
/* Counts the experiments of each machine. */
int et_store_count_machines(
	struct et_store *s, et_machine_count_fn fn, void *ctx, struct et_error *err) ET_CHECK;

/*
 * Calls fn once with the host and the deviations of a machine that has no row, from its newest
 * experiment; the order of the deviations is the experiment's.
 */
int et_store_describe_machine(struct et_store *s, const char *machine, const char *host,
	et_machine_fn fn, void *ctx, struct et_error *err) ET_CHECK;

typedef int (*et_label_fn)(void *ctx, const char *id, const char *machine, const char *host);
/* Calls fn for the experiments of a label, newest first. */
int et_store_list_label(struct et_store *s, const char *label, et_label_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;

typedef int (*et_timing_fn)(void *ctx, const struct et_timing *t);
/* Calls fn for the commands of experiments, newest first, at most limit times. */
int et_store_list_timings(struct et_store *s, size_t limit, et_timing_fn fn, void *ctx,
	struct et_error *err) ET_CHECK;
