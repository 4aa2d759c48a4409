/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EMP's sanity checks at the end of a run, with the cutoffs kept for this machine. */
#ifndef ET_SESSION_REMOVAL_H
#define ET_SESSION_REMOVAL_H

#include "model/warning.h"
#include "store/store.h"

/*
 * Removes samples (protocol emp only) and records it durably; warnings about the cutoffs
 * go to the notes.
 */
int et_session_remove(struct et_store *store, struct et_experiment *e, struct et_warnings *notes,
	struct et_error *err);

struct et_cutoffs;
/* They are old, or from another kernel. */
void et_cutoffs_warn(const struct et_cutoffs *c, const struct et_host *host, uint64_t wall_ns,
	struct et_warnings *out);

#endif
