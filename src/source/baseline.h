/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `run --baseline`: the command of a stored experiment runs beside the new ones. */
#pragma once

#include "cli/cli.h"
#include "model/experiment/experiment.h"

/*
 * Makes the command of the stored experiment `name` the first command of e and its reference, with
 * its own hooks. Refuses a record that came from elsewhere unless it is trusted, because its author
 * chose the command.
 */
int et_baseline_add(const struct et_cli *cli, const char *name, bool trust, struct et_experiment *e,
	struct et_error *err) ET_CHECK;
