/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon put`. */
#pragma once

#include "cli/cli.h"
#include "put/put.h"

/*
 * Executes etalon-put-omp, the program of the kernels, in this process. Returns the exit status if
 * that fails, after printing why.
 */
int et_put_execute(
	const struct et_cli *cli, const struct et_workload *w, const struct et_put_params *p);
