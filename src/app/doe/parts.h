/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads stored experiments and the parts of campaigns, for `doe analyse`, `status` and `export`. */
#pragma once

#include "app/doe/view.h"
#include "cli/cli.h"
#include "store/core/store.h"

struct et_campaign;

/* The experiments that operands of analyse, status and export mean. To begin, set all to 0. */
struct et_doe_loaded {
	struct et_experiment **list;
	size_t n, cap;
	struct et_doe_parts parts; /* of campaigns; those that are not done are missing */
	bool whole;                /* set by the caller: a campaign is wanted, not its parts */
	struct et_campaign *campaign;
	const char *plan; /* the operand if it is the path of a plan file */
};

/*
 * Adds the experiments that an operand means: a plan file (the newest experiment of its name and
 * design; if machines are blocks, of each machine), a record that etalon has written, an id, or a
 * label. A campaign, or a plan or label whose newest experiment is part of one, means the
 * experiments of its done parts. The caller frees them also on failure.
 */
int et_doe_load(struct et_cli *cli, const char *operand, struct et_doe_loaded *out,
	struct et_error *err) ET_CHECK;

void et_doe_loaded_add(struct et_doe_loaded *l, struct et_experiment *e); /* takes e */
void et_doe_loaded_move(struct et_doe_loaded *from, struct et_doe_loaded *to);
void et_doe_loaded_free(struct et_doe_loaded *l);
/* Replaces heads, from the given one on, by the experiments with their samples. */
int et_doe_loaded_complete(struct et_store *store, struct et_doe_loaded *l, size_t from,
	struct et_error *err) ET_CHECK;

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
