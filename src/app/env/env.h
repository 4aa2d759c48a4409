/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon env`. */
#pragma once

#include "cli/environment.h"
#include "report/environment.h"

struct et_env_options {
	struct et_env_wish wish; /* --only, --except */
	bool dry_run, json, running;
};

struct et_page et_env_page(const struct et_cli *cli);
et_action_run et_env_apply, et_env_restore;
