/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cutoffs of daemons as a fact that a store keeps, one for each machine by its name. */
#ifndef ET_STORE_CUTOFFS_H
#define ET_STORE_CUTOFFS_H

#include "model/daemon.h"
#include "store/store.h"

/* Replaces what was kept for c->host. */
int et_cutoffs_keep(struct et_store *s, const struct et_cutoffs *c, struct et_error *err) ET_CHECK;
/* *there says whether there are any for that host; then the caller frees what *out owns. */
int et_cutoffs_load(struct et_store *s, const char *host, struct et_cutoffs *out, bool *there,
	struct et_error *err) ET_CHECK;

#endif
