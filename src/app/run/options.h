/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `run`, and the experiment that they make. */
#pragma once

#include "base/option.h"
#include "cli/environment.h"
#include "cli/outputs.h"
#include "model/experiment/experiment.h"
#include "protocol/parameters.h"
#include "report/text.h"

enum { ET_MOST_VALUES = 64 };

/* Values of an option that is given once for all commands or once for each. */
struct et_each {
	const char *text[ET_MOST_VALUES];
	size_t n;
};

/* Bits of options that were given. */
enum et_run_given {
	ET_GIVEN_RUNS = 2,
	ET_GIVEN_MAX = 4,
	ET_GIVEN_SEED = 8,
	ET_GIVEN_MIN = 16,
	ET_GIVEN_MIN_TIME = 32,
	ET_GIVEN_SHELL = 64,
	ET_GIVEN_LEARN = 128,
	ET_GIVEN_GATE = 256,
};

/* As hyperfine's --style. */
enum et_style {
	ET_STYLE_AUTO,
	ET_STYLE_BASIC,   /* neither colours nor progress */
	ET_STYLE_FULL,    /* both */
	ET_STYLE_NOCOLOR, /* progress if stderr is a terminal */
	ET_STYLE_COLOR,   /* colours, no progress */
	ET_STYLE_NONE,    /* no text */
};

enum et_learn_choice { ET_LEARN_QUICK, ET_LEARN_PAPER, ET_LEARN_NEVER };

/* The options that only `emp` has. */
struct et_emp_options {
	enum et_learn_choice learn;
	bool dry_run, yes, busy, all_factors;
};

/* A scan of a parameter, or a list of its values as one text. */
struct et_range_given {
	const char *name, *from, *to; /* to is NULL: a list */
};

struct et_run_around;

struct et_run_options {
	/* Parts of the experiment; et_run_options_finish moves them into it. */
	struct et_plan plan;
	struct et_child_spec child;
	enum et_protocol protocol;
	int metric; /* of et_metric_options */
	char *label;

	unsigned given; /* enum et_run_given */
	struct et_ranges ranges;
	struct et_range_given ranges_given[ET_MOST_VALUES];
	size_t n_ranges_given;
	const char *step; /* of --parameter-scan, or NULL */
	struct et_each names, setup, prepare, conclude, cleanup;
	const char *reference, *reference_name; /* or NULL */
	const char *baseline; /* a stored experiment whose command is the reference; or NULL */
	bool resume;
	const char *resume_id; /* or NULL: the newest unfinished experiment */
	bool more;             /* add pairs to one that is finished */
	bool trust_record;     /* resume also a record that came from elsewhere */
	struct et_outputs outputs;
	struct et_env_wish env; /* what to change for the duration */
	bool no_ledger;
	enum et_sort sort; /* of the table */
	enum et_time_unit unit;
	enum et_style style;
	/* As hyperfine: --reference is a command, and a shell runs those that need it. */
	bool like_hyperfine;
	bool reference_first; /* the first operand is this --reference */
	bool asks;            /* several commands are sampled until their comparison is decided */
	/* The part that `emp` and `profile` add, or NULL; see app/run/run.h. */
	const struct et_run_around *around;
	struct et_emp_options emp;
};

extern const struct et_option et_run_options[];
/* How the program runs, and hooks: of all commands that measure programs, see struct et_verb. */
extern const struct et_option et_child_options[];

void et_run_options_init(struct et_run_options *o);
void et_run_options_free(struct et_run_options *o);
/* Makes the experiment of options and operands, which the caller frees, or refuses them. */
int et_run_options_finish(struct et_run_options *o, const struct et_operands *ops,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
/* Moves the parts that the options filled into a new experiment, which has no commands yet. */
struct et_experiment *et_run_options_start(struct et_run_options *o);
/*
 * Makes the vector of a command: its words, or the shell that runs it. Without a shell, a text that
 * needs one is refused. et_strv_free frees *out.
 */
int et_run_make_argv(
	const char *shell, const char *text, char ***out, struct et_error *err) ET_CHECK;
/* The command of hyperfine's --reference becomes the first operand. */
void et_run_options_add_reference(struct et_run_options *o, struct et_operands *ops);
/* Refuses combinations that contradict each other; fills defaults that depend on other options. */
int et_run_options_check(
	struct et_run_options *o, struct et_experiment *e, struct et_error *err) ET_CHECK;

/* Changes the plan of an experiment that --resume continues: see et_session_setup.replan. */
int et_run_options_replan(void *ctx, struct et_experiment *e, struct et_error *err) ET_CHECK;
/* Refuses --fail-on-regression for a single command, to which --baseline adds none. */
int et_run_gate_check(const struct et_experiment *e, bool baseline, struct et_error *err) ET_CHECK;
