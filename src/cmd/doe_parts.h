/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the experiments of the parts of a campaign, for `doe analyse`, `status` and `export`. */
#ifndef ET_CMD_DOE_PARTS_H
#define ET_CMD_DOE_PARTS_H

#include "report/doe.h"
#include "store/store.h"

/* The experiments that were loaded so far. */
struct et_doe_loaded {
	struct et_experiment **list;
	size_t n, cap;
	struct et_doe_parts parts;
};

void et_doe_loaded_add(struct et_doe_loaded *l, struct et_experiment *e); /* takes e */
void et_doe_loaded_free(struct et_doe_loaded *l);

/*
 * Finds the campaign of that id, or of that label if no experiment of it is newer. e is the
 * experiment of that name, or NULL.
 */
bool et_doe_find_campaign(
	struct et_store *store, const char *name, const struct et_experiment *e, char id[40]);
/* Adds the experiments of the parts that are done. -ENOENT: there is none, or no such campaign. */
int et_doe_load_campaign(struct et_store *store, const char *id, struct et_doe_loaded *l,
	struct et_error *err) ET_CHECK;
/*
 * The same of the campaign that e is a part of; frees e. If the store has only its parts, which
 * were imported, these are added.
 */
int et_doe_load_campaign_of(struct et_store *store, struct et_experiment *e,
	struct et_doe_loaded *l, struct et_error *err) ET_CHECK;

#endif
