/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon env`. */
#ifndef ET_CMD_ENV_H
#define ET_CMD_ENV_H

#include "cmd/environment.h"
#include "report/environment.h"

struct et_env_options {
	struct et_env_wish wish; /* --only, --except */
	bool dry_run, json, running;
	bool *selected; /* one per row of the table of factors */
};

struct et_page et_env_page(const struct et_cli *cli);
int et_env_apply(
	const struct et_cli *cli, const struct et_env_options *c, struct et_error *err) ET_CHECK;
int et_env_restore(
	const struct et_cli *cli, const struct et_env_options *c, struct et_error *err) ET_CHECK;

#endif
