/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon doe`. */
#pragma once

#include "app/doe/view.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "conduct/measuring.h"
#include "plan/plan.h"

/* The options of all actions. */
struct et_doe_request {
	bool json;              /* analyse, plan, status: JSON instead of text */
	const char *json_file;  /* run: record */
	const char *page, *svg; /* analyse: files */
	bool yes;               /* run: do not ask before a large experiment */
	bool fresh;             /* run: --new */
	bool trust;             /* run --attach, --cancel: --trust-record */
	const char *from;       /* init: a command */
	bool schema;            /* init: the JSON Schema instead of a plan */
	const char *output;     /* init, export, import: a file */
	const char *terms;      /* analyse, plan: effects that are wanted, "a,b,a:b" */
	bool no_pilot;          /* plan: make no pilot runs */
	double alpha, level;
	int method;       /* analyse: 0 is auto, else 1 + enum et_doe_method */
	bool tables;      /* analyse: the tables of Nogueira and Matias */
	bool plot;        /* analyse: pictures in the terminal */
	bool r_script;    /* export: a script for R instead of the data */
	const char *data; /* export: the file that the script reads */
	/* import: names of columns; NULL: found by the header */
	const char *response, *factors, *program, *block;
	const char *label; /* import: name of the experiment */
	int unit;          /* import: enum et_results_unit, of the response */
};

/* The context of a call is a struct et_doe_request. */
et_action_run et_doe_init, et_doe_plan, et_doe_run, et_doe_status, et_doe_do_analyse, et_doe_import,
	et_doe_export;

/* Writes a sensible first plan for a command. */
int et_doe_write_first(const char *command, FILE *out, struct et_error *err) ET_CHECK;
/* Whether a program is linked with a library of OpenMP. */
bool et_doe_uses_openmp(const char *path);
/* Reads a plan file ("-" is standard input). et_plan_file_free frees *out. */
int et_doe_read_plan(const char *path, struct et_plan_file *out, struct et_error *err) ET_CHECK;
/* Why a plan cannot set an option of `run`: what to do instead; NULL: it can. */
const char *et_doe_refusal(const char *option);
/* Whether this machine can set all of these levels (NULL ends them) of a kind of factor. */
bool et_doe_can_set(const struct et_machine *m, enum et_kind kind, const char *const *levels);
/*
 * Makes the experiment of a plan, which it takes the design from. The caller frees *out. Unless m
 * is NULL, fills what the plan decides beside it, env and no_ledger, which point into it.
 */
int et_doe_make(struct et_plan_file *plan, struct et_measuring *m, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
/* Ids of stored experiments. The caller frees the list. */
struct et_doe_ids {
	const char *name; /* set by the caller, as is `measured`; the rest begins as 0 */
	char (*list)[40];
	size_t n, cap;
	bool measured; /* imported ones are not wanted */
};
struct et_store;
/* Finds the designed experiments of that name, newest first. */
int et_doe_find(struct et_store *store, struct et_doe_ids *ids, struct et_error *err) ET_CHECK;
/* The error that a plan file differs from the plan of an experiment; changes has the lines. */
int et_doe_changed(const char *path, const char *id, const char *changes, struct et_error *err);
/* Checks all levels here before anything runs: exit 3 if one cannot be set, 2 if malformed. */
int et_doe_check_levels(const struct et_plan_file *plan, const struct et_experiment *e,
	struct et_error *err) ET_CHECK;
struct et_doe_pilot;
/*
 * Makes pilot runs of all programs, for about ten seconds or one run of each; they are no samples.
 * *out has one element per program, or is NULL, which *why explains; *failed names a run that
 * failed, or is NULL. The caller frees them. -EINTR after a signal.
 */
int et_doe_make_pilots(struct et_cli *cli, const struct et_experiment *e, struct et_doe_pilot **out,
	char **why, char **failed, struct et_error *err) ET_CHECK;

/* The experiments that operands of analyse, status and export mean. To begin, set all to 0. */
struct et_doe_loaded {
	struct et_experiment **list;
	size_t n, cap;
	struct et_doe_parts parts; /* of campaigns; those that are not done are missing */
	bool whole;                /* set by the caller: a campaign is wanted, not its parts */
	struct et_campaign *campaign;
	const char *plan; /* the operand if it is the path of a plan file */
};

/*
 * Adds the experiments that an operand means: a plan file, a record, an id or a label. A plan means
 * the newest of its name and design; of each machine if these are blocks; of all done parts if it
 * is part of a campaign. The caller frees them also on failure.
 */
int et_doe_load(struct et_cli *cli, const char *operand, struct et_doe_loaded *out,
	struct et_error *err) ET_CHECK;

void et_doe_loaded_free(struct et_doe_loaded *l);

/* --- the response `profile: FUNCTION` --- */

/* Returns the function whose CPU time is the response, or NULL: it is something else. */
const char *et_doe_function(const struct et_experiment *e);
/* Fails, at its place in the plan, if no run was seen in it; `none` begins the text: "no run". */
int et_doe_check_function(const struct et_plan_file *plan, const struct et_experiment *e,
	const char *none, struct et_error *err) ET_CHECK;
/* The same as a warning: a function that takes little time may be seen later. */
void et_doe_warn_function(
	const struct et_plan_file *plan, const struct et_experiment *e, const char *none);

/* --- running --- */

/* The command line of an action of `doe`, as a shell takes it. The caller frees it. */
char *et_doe_line(const char *action, const char *path, const char *store);

/* Prints the findings of experiments of one plan as `doe analyse` does without options. */
int et_doe_print_findings(const struct et_cli *cli, const struct et_experiment *const *list,
	size_t n, FILE *out, struct et_error *err) ET_CHECK;
/*
 * The hook `reboot`: the machine restarts before each treatment but the first. A session runs one
 * treatment, makes all durable and runs the hook. The record has the boot of each treatment.
 */
struct et_doe_reboot {
	struct et_measuring *m;
	const char *plan; /* path of the plan file */
	bool begun;       /* this session has a treatment */
	uint32_t treatment;
	bool due;      /* the session has ended because the machine is to restart */
	uint32_t next; /* the treatment after that */
	bool refused;  /* the machine has not restarted since the treatment before */
};

/* Before the runs of a command (struct et_driver). -EAGAIN: the machine must restart first. */
int et_doe_reboot_before(struct et_doe_reboot *r, uint32_t command, struct et_error *err) ET_CHECK;
/* Runs the hook after the session; installs a unit that continues then, if it can. */
int et_doe_reboot_now(struct et_doe_reboot *r, const struct et_experiment *e, FILE *out,
	struct et_error *err) ET_CHECK;
/* Refuses to begin anything else than the experiment that such a unit is to continue. */
int et_doe_reboot_check(const struct et_experiment *earlier, struct et_error *err) ET_CHECK;
