/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the sanity checks, with the cutoffs that are stored for this machine. */
#ifndef ET_SESSION_REMOVAL_H
#define ET_SESSION_REMOVAL_H

#include "model/warning.h"
#include "store/store.h"

/*
 * Removes samples by the checks of the experiment's protocol, in memory and durably in the store;
 * K-best and raw have none. Warnings about the cutoffs are appended to notes.
 */
int et_session_remove(struct et_store *store, struct et_experiment *e, struct et_warnings *notes,
	struct et_error *err) ET_CHECK;

/* How a kept experiment is judged again. */
struct et_rejudging {
	enum et_protocol protocol;
	int metric; /* of et_metric_options */
	bool keep;  /* the store gets the new rulings, protocol and metric */
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

struct et_cutoffs;
/* Warns if the cutoffs are old, or were learned on another kernel. */
void et_cutoffs_warn(const struct et_cutoffs *c, const struct et_host *host, uint64_t wall_ns,
	struct et_warnings *out);

#endif
