/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the sanity checks, with the cutoffs that are stored for this machine. */
#pragma once

#include "model/result/warning.h"
#include "store/core/store.h"

struct et_cutoffs;
struct et_learning_place;

/*
 * Removes samples by the checks of the experiment's protocol, in memory and durably in the store;
 * K-best and raw have none. Cutoffs whose learning does not fit the record, and the environment and
 * services that `now` has (NULL: not known), are not used. Warnings about them are appended to
 * notes.
 */
int et_session_remove(struct et_store *store, struct et_experiment *e,
	const struct et_learning_place *now, struct et_warnings *notes,
	struct et_error *err) ET_CHECK;

/* How a kept experiment is judged again. */
struct et_rejudging {
	int protocol; /* enum et_protocol; -1: its own, or emp if that has no checks */
	int metric;   /* of et_metric_options; -1: what it was judged by */
	bool keep;    /* the store gets the new rulings, protocol and metric */
};

/*
 * Judges a kept experiment as if it had been measured by that protocol on its machine with the
 * cutoffs that the store has now, in memory and, if `keep`, durably. --keep-all is taken back, so
 * that learning runs (raw, all samples kept) can be judged by emp. Warnings about the cutoffs are
 * appended to notes, unless it is NULL. et_command_check_counts counts the removed samples.
 */
int et_session_rejudge(struct et_store *store, struct et_experiment *e,
	const struct et_rejudging *how, struct et_warnings *notes, struct et_error *err) ET_CHECK;

/* Fails if the cutoffs that are stored for this machine are damaged. Call it before the runs. */
int et_session_check_cutoffs(
	struct et_store *store, const struct et_experiment *e, struct et_error *err) ET_CHECK;

/* Loads the cutoffs of its machine; *there: they are, and fit what the record knows of it. */
int et_session_cutoffs(struct et_store *store, const struct et_experiment *e,
	struct et_cutoffs *out, bool *there, struct et_error *err) ET_CHECK;

/* Returns the misfits (protocol/learning.h), with a warning about each. */
unsigned et_cutoffs_warn(
	const struct et_cutoffs *c, const struct et_learning_place *now, struct et_warnings *out);
