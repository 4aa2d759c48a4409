/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ET_CMD_DOE_FINDINGS_H
#define ET_CMD_DOE_FINDINGS_H

#include "cmd/cli.h"
#include "cmd/outputs.h"
#include "cmd/stored.h"
#include "model/experiment.h"

/* Prints the findings of a designed experiment, as `doe analyse` computes them without options. */
int et_doe_print_findings(const struct et_cli *cli, const struct et_experiment *e, FILE *out,
	struct et_error *err) ET_CHECK;
/* The same of an experiment that several machines ran. */
int et_doe_print_all_findings(const struct et_cli *cli, const struct et_experiment *const *list,
	size_t n, FILE *out, struct et_error *err) ET_CHECK;
/* Prints it for `show`: the findings first, and the times of each treatment with -v. */
int et_doe_show(const struct et_cli *cli, const struct et_stored *s,
	const struct et_text_options *o, struct et_error *err) ET_CHECK;
/* Writes the page of the analysis. */
int et_doe_write_page(
	const struct et_experiment *e, const char *path, struct et_error *err) ET_CHECK;

#endif
