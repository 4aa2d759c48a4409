/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part that `run`, `hyperfine`, `emp` and `profile` share. */
#pragma once

#include "app/run/options.h"
#include "cli/cli.h"
#include "conduct/measuring.h"
#include "model/result/result.h"

extern const struct et_verb et_verb_run;

/* A command that does more than `run` does it in these, which get ctx. Each may be NULL. */
struct et_run_around {
	void *ctx;
	const char *verb; /* the command: hints name it, and it continues after Ctrl-C */
	/* After the options were parsed: sets defaults that depend on them. */
	void (*parsed)(void *ctx, struct et_run_options *o);
	/*
	 * Before the first run, after the options were checked and outputs opened; it may add to e
	 * (NULL: an experiment is resumed). After -ECANCELED without an error nothing is run.
	 */
	int (*before)(void *ctx, struct et_measuring *m, struct et_experiment *e,
		struct et_error *err) ET_CHECK;
	/* When everything is measured, before the result is printed. */
	void (*measured)(void *ctx, struct et_measuring *m, struct et_judgement *j);
	/* Prints the result in place of `run`; returns the exit status. */
	int (*conclude)(void *ctx, struct et_measuring *m);
	/* After the result was printed. */
	void (*printed)(void *ctx, struct et_measuring *m);
	/* At the end, whatever happened. */
	void (*after)(void *ctx, struct et_measuring *m);
};

/* Parses argv into o, measures, and prints the result. Frees o; returns the exit status. */
int et_run_main(struct et_cli *cli, const struct et_verb *verb, struct et_run_options *o, int argc,
	char **argv) ET_CHECK;

/* The same after the options were parsed; the caller frees o and ops. */
int et_run_parsed(
	struct et_cli *cli, struct et_run_options *o, const struct et_operands *ops) ET_CHECK;
/* The same on other machines: --engine, --attach or --cancel was given. */
int et_run_engine(
	struct et_cli *cli, struct et_run_options *o, const struct et_operands *ops) ET_CHECK;
/* Prints where the experiment is kept, and how to see more of it: `left` notes. */
void et_run_print_place(const struct et_measuring *m, const struct et_judgement *j, size_t left);
