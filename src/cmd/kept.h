/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kept experiment, fetched from the store and judged: what show, export and report begin with. */
#ifndef ET_CMD_KEPT_H
#define ET_CMD_KEPT_H

#include "cmd/cli.h"
#include "model/result.h"
#include "store/store.h"

/* Opens the store the user means. */
int et_kept_open(const struct et_cli *cli, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;

struct et_format;

struct et_kept {
	struct et_experiment *experiment;
	struct et_judgement judgement;
};

/* The experiment of that id or label, not judged; the caller frees. -ENOENT: there is none. */
int et_kept_fetch(const struct et_cli *cli, const char *name, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
/* The experiment that the only operand names, "last" without one. */
int et_kept_load(const struct et_cli *cli, const struct et_operands *ops, struct et_kept *out,
	struct et_error *err) ET_CHECK;
/* Writes it in a format (report/format.h) to a path, "-" is stdout. */
int et_kept_write(const struct et_kept *k, const struct et_format *format, const char *path,
	struct et_error *err) ET_CHECK;
void et_kept_free(struct et_kept *k);

#endif
