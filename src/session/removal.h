/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the sanity checks of EMP, with the cutoffs that are stored for this machine. */
#ifndef ET_SESSION_REMOVAL_H
#define ET_SESSION_REMOVAL_H

#include "model/warning.h"
#include "store/store.h"

/*
 * Removes samples and records the removals durably, if the protocol is EMP. Warnings about the
 * cutoffs go to notes.
 */
int et_session_remove(struct et_store *store, struct et_experiment *e, struct et_warnings *notes,
	struct et_error *err) ET_CHECK;

struct et_cutoffs;
/* Warns if the cutoffs are old, or were learned on another kernel. */
void et_cutoffs_warn(const struct et_cutoffs *c, const struct et_host *host, uint64_t wall_ns,
	struct et_warnings *out);

#endif
