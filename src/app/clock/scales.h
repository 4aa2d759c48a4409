/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon clock --scales`. */
#pragma once

#include "cli/cli.h"
#include "model/sample/executor.h"

/* Measures on a CPU, -1: the present one, prints text or JSON, and draws svg, unless it is NULL. */
int et_clock_scales(const struct et_cli *cli, int cpu, bool json, const char *svg,
	const struct et_interrupt *interrupt, struct et_error *err) ET_CHECK;
