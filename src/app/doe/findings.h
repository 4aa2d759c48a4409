/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/cli.h"
#include "cli/outputs.h"
#include "model/experiment/experiment.h"

/* Prints the findings of a designed experiment, as `doe analyse` computes them without options. */
int et_doe_print_findings(const struct et_cli *cli, const struct et_experiment *e, FILE *out,
	struct et_error *err) ET_CHECK;
/* The same of an experiment that several machines ran. */
int et_doe_print_all_findings(const struct et_cli *cli, const struct et_experiment *const *list,
	size_t n, FILE *out, struct et_error *err) ET_CHECK;
