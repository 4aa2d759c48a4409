/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the cutoffs of daemons in a store: one fact, in JSON, per machine. */
#pragma once

#include "model/sample/daemon.h"
#include "store/core/store.h"

/* Replaces the cutoffs that were kept for c->machine. */
int et_cutoffs_keep(struct et_store *s, const struct et_cutoffs *c, struct et_error *err) ET_CHECK;
/*
 * Sets *there to whether there are any for that machine, or for that name of a host from an earlier
 * version. If so, et_cutoffs_free frees *out.
 */
int et_cutoffs_load(struct et_store *s, const char *machine, const char *host,
	struct et_cutoffs *out, bool *there, struct et_error *err) ET_CHECK;
/* Removes the cutoffs of that machine and host, also damaged ones. */
int et_cutoffs_forget(
	struct et_store *s, const char *machine, const char *host, struct et_error *err) ET_CHECK;
