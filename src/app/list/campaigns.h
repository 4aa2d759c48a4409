/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/cli.h"

/* Lists the campaigns of the store, the newest first: `etalon list --campaigns`. */
int et_list_campaigns(const struct et_cli *cli, bool json, struct et_error *err) ET_CHECK;
