/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines of the store, for `list --machines` and `report --machines`. */
#pragma once

#include "cli/cli.h"

/* Prints a table, or JSON. */
int et_fleet_list(const struct et_cli *cli, bool json, struct et_error *err) ET_CHECK;
/* Writes a page to a path; "-" is stdout. */
int et_fleet_report(const struct et_cli *cli, const char *path, struct et_error *err) ET_CHECK;
