/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part that `run` and `hyperfine` share. */
#ifndef ET_CMD_RUN_H
#define ET_CMD_RUN_H

#include "cmd/cli.h"
#include "cmd/run_options.h"

/* Parses argv into o, measures, and prints the result. Frees o; returns the exit status. */
int et_run_main(struct et_cli *cli, const struct et_verb *verb, struct et_run_options *o, int argc,
	char **argv) ET_CHECK;

#endif
