/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pulls experiments that others measured from a central store into a local one. */
#pragma once

#include "store/central/deliver.h"

struct et_pull_filter {
	const char *label;      /* NULL: any */
	const char *machine;    /* its identity or the name of its host; NULL: any */
	uint64_t since_wall_ns; /* started then or later */
	uint64_t limit;         /* only the newest; 0: all */
};

struct et_pull_item {
	char id[40];
	char digest[ET_DIGEST_SIZE]; /* "": not known */
	char machine[96];
};

struct et_pull {
	struct et_pull_item *list;
	size_t n;
};

/* Lists what fits the filter, the newest first. */
int et_pull_list(struct et_store *central, const struct et_pull_filter *filter, struct et_pull *out,
	struct et_error *err) ET_CHECK;
void et_pull_free(struct et_pull *p);
/*
 * Whether the local store has the item: sets *out to BEFORE (the same), GROWN (perhaps an earlier
 * state) or NEW.
 */
int et_pull_check(struct et_store *local, const struct et_pull_item *item, enum et_delivered *out,
	struct et_error *err) ET_CHECK;
/*
 * Copies an experiment, exactly once; its origin becomes ET_ORIGIN_IMPORTED, because its author
 * chose the commands that resuming it would run. An earlier state that was pulled before is
 * replaced; an experiment that was measured into the local store never is: -EEXIST.
 */
int et_pull_one(struct et_store *central, struct et_store *local, const struct et_pull_item *item,
	enum et_delivered *out, struct et_error *err) ET_CHECK;
