/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands, in the order of `etalon --help`. */
#include "cli/cli.h"

extern const struct et_verb et_verb_clock, et_verb_compare, et_verb_completion, et_verb_daemons,
	et_verb_describe, et_verb_doe, et_verb_emp, et_verb_env, et_verb_export, et_verb_fit,
	et_verb_hyperfine, et_verb_import, et_verb_list, et_verb_profile, et_verb_put,
	et_verb_report, et_verb_rm, et_verb_run, et_verb_samplesize, et_verb_show, et_verb_sync,
	et_verb_task, et_verb_trace;

/* Its options and its experiments are in the table of etalon-lab: verbs_lab.c. */
static const struct et_verb lab = {
	.name = "lab",
	.summary = "run experiments that test methods of measurement, and etalon",
	.program = "etalon-lab",
};

/* To add a row: src/app/README.md says what a command needs. */
const struct et_verb *const et_verbs[] = {
	&et_verb_run,
	&et_verb_show,
	&et_verb_list,
	&et_verb_compare,
	&et_verb_report,
	&et_verb_describe,
	&et_verb_samplesize,
	&et_verb_fit,
	&et_verb_export,
	&et_verb_import,
	&et_verb_rm,
	&et_verb_sync,
	&et_verb_env,
	&et_verb_daemons,
	&et_verb_emp,
	&et_verb_profile,
	&et_verb_doe,
	&et_verb_trace,
	&et_verb_clock,
	&et_verb_put,
	&et_verb_hyperfine,
	&et_verb_task,
	&et_verb_completion,
	&lab,
	NULL,
};
