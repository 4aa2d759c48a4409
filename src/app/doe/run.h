/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon doe run`. */
#pragma once

#include "app/doe/doe.h"
#include "app/doe/reboot.h"
#include "conduct/measuring.h"

struct et_doe_running {
	struct et_cli *cli;
	const struct et_doe_request *request;
	const char *path; /* of the plan file */
	struct et_plan_file plan;
	struct et_experiment *e; /* made of the plan; NULL after it was begun */
	/* Of the same plan, which is continued or done: its head, unless its record is wanted. */
	struct et_experiment *earlier; /* or NULL */
	struct et_outputs outputs;
	struct et_measuring m;
	struct et_doe_reboot reboot; /* of a plan with that hook */
};

/* Reports that an experiment is continued, and how far it is. */
void et_doe_run_announce(const struct et_doe_running *r);
/* Reports a program that failed, while the others continue; ctx is the measuring. */
void et_doe_run_failed(void *ctx, uint32_t command, const struct et_error *why);
/* Warns of a response that no run of the first round has; ctx is the measuring. */
void et_doe_run_noted(void *ctx, const struct et_progress_note *n);
/* Reports that the plan is done already. Returns the exit status. */
int et_doe_run_done(struct et_doe_running *r) ET_CHECK;
/*
 * Prints the result of the session, which ended with *rc, and writes the record. Returns the exit
 * status; *rc stays not 0 if err has an error that is to be printed.
 */
int et_doe_run_conclude(struct et_doe_running *r, int *rc, struct et_error *err) ET_CHECK;
