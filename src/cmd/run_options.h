/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `run`, made into an experiment. */
#ifndef ET_CMD_RUN_OPTIONS_H
#define ET_CMD_RUN_OPTIONS_H

#include "base/option.h"
#include "cmd/outputs.h"
#include "model/experiment.h"
#include "protocol/parameters.h"

/* What the table of options says to the handler. */
enum {
	O_WARMUP,
	O_RUNS,
	O_UNTIL,
	O_MIN,
	O_MAX,
	O_TIME_LIMIT,
	O_METRONOME,
	O_PROTOCOL,
	O_BEST,
	O_EPSILON,
	O_METRIC,
	O_ORDER,
	O_SEED,
	O_REFERENCE,
	O_CPU,
	O_SCHED,
	O_NICE,
	O_SHELL,
	O_NO_SHELL,
	O_SETUP,
	O_PREPARE,
	O_CONCLUDE,
	O_CLEANUP,
	O_SCAN,
	O_STEP,
	O_LIST,
	O_NAME,
	O_IGNORE,
	O_OUTPUT,
	O_INPUT,
	O_USER,
	O_KEEP_ALL,
	O_ENV,
	O_LABEL,
	O_RESUME,
	O_FAIL,
	O_EXPORT, /* and above: the formats in the order of export_formats */
};

enum { ET_MOST_ASIDES = 64 };

/* Values of an option that may be given once for all commands or once for each. */
struct et_each {
	const char *text[ET_MOST_ASIDES];
	size_t n;
};

struct et_run_options {
	struct et_experiment *e; /* plan and child are filled while parsing */
	struct et_ranges ranges;
	struct {
		const char *name, *from, *to; /* to is NULL: a list */
	} ranges_given[ET_MOST_ASIDES];
	size_t n_ranges_given;
	const char *step; /* of --parameter-scan, or NULL */
	bool plan_given;  /* something that an interrupted experiment has already */
	struct et_each names, setup, prepare, conclude, cleanup;
	const char *reference;
	bool resume;
	const char *resume_id; /* or NULL: the newest unfinished one */
	struct et_outputs outputs;
	double regression_ratio; /* --fail-on-regression: slowdown that is too much; INFINITY: none
				  */
	bool seed_given, runs_given, max_given;
	bool env; /* change the environment for the duration */
};

extern const struct et_option et_run_options[];

void et_run_options_init(struct et_run_options *o);
void et_run_options_free(struct et_run_options *o);
/* As et_option_fn; ctx is the struct. */
int et_run_options_handle(void *ctx, int id, char *const *args, struct et_error *err);
/* What does not go together is refused; defaults that depend on other options are filled in. */
int et_run_options_check(struct et_run_options *o, struct et_error *err);
/* Checks options against each other and makes the commands of the operands. */
int et_run_options_finish(
	struct et_run_options *o, const struct et_operands *ops, struct et_error *err);

#endif
