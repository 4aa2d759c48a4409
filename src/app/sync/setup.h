/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/cli.h"

/* `sync --setup`: prepares the central store that --store or ETALON_STORE names. 0 or -errno. */
int et_sync_setup(const struct et_cli *cli, bool dry_run, struct et_error *err) ET_CHECK;
