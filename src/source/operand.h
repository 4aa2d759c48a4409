/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides what an operand means: a file, standard input, or a name in the store or the spool. Every
 * command that takes files and names calls it, so that one operand means the same to all of them.
 */
#pragma once

#include "source/stored.h"

/*
 * Whether an operand is a file: "-", or a path that leads to anything but a folder, which may have
 * the name of a label, or text that can only be a path because it begins with /, ./ or ../.
 */
bool et_operand_is_file(const char *operand);

/* The functions of a command that read a file, and take an experiment or find several. */
struct et_operand_use {
	/* Reads a file or standard input; `name` is for errors. */
	int (*read)(void *ctx, FILE *in, const char *name, struct et_error *err);
	/* Takes the one experiment of that name, which it frees also on failure. */
	int (*take)(void *ctx, struct et_experiment *e, struct et_error *err);
	et_stored_find_fn *find; /* instead of take: a name may mean several experiments */
};

/*
 * Of commands that take one experiment: a record, or what et_stored_load finds. A file that is no
 * JSON may have the name of a label, unless it is given with its folder.
 */
int et_operand_load(const struct et_cli *cli, const char *operand, struct et_stored *out,
	struct et_error *err) ET_CHECK;
int et_operand_open(const struct et_cli *cli, const char *operand, const struct et_operand_use *use,
	void *ctx, struct et_error *err) ET_CHECK;
