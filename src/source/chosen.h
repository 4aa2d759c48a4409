/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiments whose machines are compared. */
#pragma once

#include "cli/cli.h"
#include "store/core/store.h"

struct et_chosen_one {
	char *id;
	size_t rank; /* of a label: 0 is the newest of its machine */
};

struct et_chosen {
	struct et_chosen_one *choices;
	size_t n, cap;
	struct et_experiment **list; /* those that are loaded */
	size_t n_list;
};

/*
 * Loads the experiments of a label, which is that of a campaign or of experiments, or the one that
 * another name means.
 */
int et_chosen_add(struct et_chosen *c, const struct et_cli *cli, const char *name,
	struct et_error *err) ET_CHECK;
/* Loads the experiments of all parts of a campaign that are done. */
int et_chosen_add_parts(
	struct et_chosen *c, struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
void et_chosen_free(struct et_chosen *c); /* what it owns */
