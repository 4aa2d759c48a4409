/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delivery: copies an experiment from the file that it was measured into (the spool) to a central
 * store, exactly once and in one transaction.
 */
#pragma once

#include "store/core/store.h"

enum et_delivered {
	ET_DELIVERED_NEW,
	ET_DELIVERED_GROWN,  /* the central store had an earlier state of it, which was replaced */
	ET_DELIVERED_BEFORE, /* the central store has the same already: nothing was changed */
	ET_DELIVERED_STALE,  /* another attempt did the part, or has begun: nothing was changed */
};

/*
 * Delivers e with all its samples; e->member is the fence of a part of a campaign. A copy of the
 * same id by another owner, or with other contents that are not an earlier state of e, is a
 * conflict: -EEXIST with both named.
 */
int et_store_deliver(struct et_store *central, const struct et_experiment *e,
	enum et_delivered *out, struct et_error *err) ET_CHECK;

/* A digest of all that delivery copies, in hexadecimal digits; the same on both sides. */
enum { ET_DIGEST_SIZE = 65 };
void et_experiment_digest(const struct et_experiment *e, char out[ET_DIGEST_SIZE]);
