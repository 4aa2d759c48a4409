/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon emp`. */
#pragma once

#include "app/daemons/daemons.h"
#include "app/run/run.h"
#include "model/experiment/steps.h"

/* The decision about the step that learns the daemons. */
struct et_emp_plan {
	bool there; /* cutoffs are stored for this machine */
	struct et_cutoffs cutoffs;
	char *misfit;   /* why they are not to be used, or NULL */
	bool elsewhere; /* they are another machine's */
	bool learn;     /* the user wants to learn if nothing that fits is stored */
	struct et_learn_options how;
};

struct et_emp {
	struct et_run_options *o;
	struct et_tuning tuning;
	bool tuned;                    /* the environment is applied, or would be */
	char factors[ET_FACTORS_SIZE]; /* those that are changed then */
	struct et_here here;
	struct et_learning_place place; /* of the runs; it refers to the above */
	struct et_emp_plan plan;        /* zero until et_emp_decide */
	bool agreed;                    /* by an option, or by the answer to the question */
	bool learning; /* the daemons are being learned: a signal interrupts that */
	struct et_steps steps;
};

/* Looks at what is stored, and fills p->plan. */
int et_emp_decide(struct et_emp *p, const struct et_cli *cli, struct et_error *err) ET_CHECK;
void et_emp_plan_free(struct et_emp_plan *p);
/* Whether nothing that fits is stored. */
bool et_emp_must_learn(const struct et_emp_plan *p);
/* Asks whether to learn, if that is needed and no option says it. */
void et_emp_ask(struct et_emp *p);
/* Reuses what is stored, or learns if the user agreed. Adds the step. */
int et_emp_learn(struct et_emp *p, struct et_measuring *m, struct et_error *err) ET_CHECK;
/* Adds the step for --dry-run. Returns the time that it would take, in seconds. */
double et_emp_plan_learn(struct et_emp *p);
