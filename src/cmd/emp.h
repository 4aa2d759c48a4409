/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon emp`. */
#ifndef ET_CMD_EMP_H
#define ET_CMD_EMP_H

#include "cmd/daemons.h"
#include "cmd/run.h"
#include "model/steps.h"

struct et_emp {
	struct et_run_options *o;
	struct et_tuning tuning;
	bool tuned; /* the environment is applied, or would be */
	struct et_here here;
	bool learning; /* the daemons are being learned: a signal interrupts that */
	struct et_steps steps;
};

/* The decision about the step that learns the daemons. */
struct et_emp_plan {
	bool there; /* cutoffs are stored for this machine */
	struct et_cutoffs cutoffs;
	char *misfit;   /* why they are not to be used, or NULL */
	bool elsewhere; /* they are another machine's, so check I does not use them */
	bool learn;     /* the user wants to learn if nothing that fits is stored */
	struct et_learn_options how;
};

/* Looks at what is stored. et_emp_plan_free frees *out. */
int et_emp_decide(const struct et_emp *p, const struct et_cli *cli, struct et_emp_plan *out,
	struct et_error *err) ET_CHECK;
void et_emp_plan_free(struct et_emp_plan *p);
/* "300 samples of 1 s and 40 of 8 s, about 10 min". The caller frees it. */
char *et_emp_describe(const struct et_learn_options *how) __attribute__((malloc, returns_nonnull));
/* Reuses what is stored, or learns if the user agrees. Adds the step. */
int et_emp_learn(struct et_emp *p, struct et_measuring *m, struct et_error *err) ET_CHECK;
/* Prints the steps and their times for --dry-run. Returns -ECANCELED: nothing is to be run. */
int et_emp_print_plan(struct et_emp *p, const struct et_measuring *m, const struct et_experiment *e,
	struct et_error *err) ET_CHECK;
/* Adds the same step for --dry-run. *seconds is the time that it would take. */
int et_emp_plan_learn(
	struct et_emp *p, const struct et_cli *cli, double *seconds, struct et_error *err) ET_CHECK;

#endif
