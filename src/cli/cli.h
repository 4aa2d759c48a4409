/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all commands: their table, the common options, help, errors and outputs. */
#pragma once

#include "base/error.h"
#include "base/option.h"
#include "cli/confine.h"
#include "model/result/warning.h"
#include "report/text.h"

/* The options of an engine, by which an experiment runs on other machines (campaign/campaign.h). */
struct et_engine_wish {
	const char *engine; /* "slurm" or "ssh:HOSTS"; NULL: this machine measures */
	const char *partition, *constraint, *nodes, *account;
	const char *extra; /* further words for sbatch or ssh */
	bool per_machine;
	uint32_t part_rounds;
	uint64_t time_limit_ns;
	const char *etalon_path; /* on the machines; NULL: it is on their PATH */
	bool copy, no_preflight, attach, cancel;
	bool trust;     /* --trust-record, which the commands have in tables of their own */
	unsigned given; /* a bit for each row of the table */
};

struct et_stored_kind;

struct et_cli {
	int verbosity;     /* -1 quiet, 0, 1 verbose */
	bool color;        /* whether stdout gets colours */
	bool progress;     /* whether stderr gets a progress line */
	int columns;       /* width of the terminal, 80 when there is none */
	bool full_names;   /* nothing sets a width: a table may be as wide as its names need */
	const char *store; /* --store without passwords, or NULL */
	bool measures;     /* a central store is reached through the spool: see source/stored.h */
	struct et_engine_wish engine;              /* of commands with engine_options */
	const struct et_stored_kind *const *kinds; /* source/kind.h; NULL ends them */
};

struct et_call;
typedef int et_action_run(struct et_call *call, struct et_error *err) ET_CHECK;

enum { ET_MOST_ACTIONS = 4 }; /* that help or a hint lists: more would hide the rest of it */

/* The first operand of a command that has actions is the name of one. */
struct et_action {
	const char *name;
	et_action_run *run;
	unsigned bit;       /* in et_option.of of the options that it takes */
	size_t least, most; /* operands */
	enum et_rights rights;
	const char *wants; /* the operands, if some are needed: "a plan file" */
	const char *hint;  /* if the number of operands is wrong; NULL: see the help */
	/* If the operand is a name: returns the i-th, NULL after the last. */
	const char *(*operand)(size_t i);
	const char *summary; /* a line of a list of actions, or NULL */
	const void *context; /* data for its function */
};

/* An action as the user called it. */
struct et_call {
	struct et_cli *cli;
	const struct et_action *action;
	void *ctx;       /* the structure that the options have filled */
	char **operands; /* after the action's name; NULL-terminated */
	size_t n;
	int status;             /* exit status if the action succeeds */
	struct et_operands ops; /* owns the operands */
};

struct et_verb {
	const char *name;
	const char *summary; /* one line of `etalon --help` */
	/* If it is a program of its own: etalon executes it, and it has the rest of the row. */
	const char *program;
	const char *usage;    /* "[options] COMMAND…"; several lines for several forms */
	const char *about;    /* a paragraph or NULL */
	const char *examples; /* lines as typed; a test runs each */
	/* "a|b": the options that most people need; `--help all` shows the others; NULL: no others
	 */
	const char *usual;
	const struct et_option *options; /* of this command only, or NULL */
	/* The options of another command that fill the same structure, or NULL. */
	const struct et_option *shared_options;
	bool shares_few; /* of these only those that changed_options names */
	/*
	 * Options of all tables that differ here: a row has the name, and the words `arg`, `help`,
	 * `group`, `needs` and `excludes` that replace theirs unless they are NULL; "" is none.
	 */
	const struct et_option *changed_options;
	const struct et_action *actions; /* or NULL; a NULL name ends them */
	const char *action_word;         /* for one of them; NULL: "action" */
	/* For completion: "STORED" (an id), "COMMAND", choices "a|b", or NULL for files. */
	const char *operands;
	/* If the choices are in a table: returns the i-th name, NULL after the last. */
	const char *(*operand)(size_t i);
	bool internal;   /* not for people: `etalon --help` does not list it */
	bool uses_store; /* takes --store */
	/* How programs run and their hooks, if it runs any: they fill the command's structure. */
	const struct et_option *child_options;
	const struct et_option *engine_options; /* or NULL; they fill a struct et_engine_wish */
	unsigned engine_of;                     /* bits of the actions that take them; 0: all */
	bool exports;          /* takes the options of the table of formats, such as --export-csv */
	enum et_rights rights; /* the others are given up before it runs */
	/* argv[0] is the command's name; returns the exit status. */
	int (*run)(struct et_cli *cli, int argc, char **argv);
};

/* NULL-terminated list of all commands. */
extern const struct et_verb *const et_verbs[];
const struct et_verb *et_verb_find(const char *name); /* NULL if there is none */
/* Returns the command that a mistyped name was meant to be; NULL if none is similar. */
const struct et_verb *et_verb_nearest(const char *typed);

struct et_outputs;

/* The structures that the options of a command fill. */
struct et_cli_targets {
	void *ctx;                  /* filled by the command's own options */
	unsigned *given;            /* collects the bits of the options given; or NULL */
	struct et_outputs *outputs; /* filled if the command exports, else NULL */
};

/* Parses argv and the common options. Returns -1 to continue, else the exit status to end with. */
int et_cli_parse(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv, void *ctx,
	struct et_operands *ops) ET_CHECK;
int et_cli_parse_into(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv,
	const struct et_cli_targets *targets, struct et_operands *ops) ET_CHECK;
/*
 * Parses argv of a command that has actions, and gives up the rights that the action does not need.
 * Returns as et_cli_parse does; -1: et_call_run runs the action and frees *out.
 */
int et_cli_call(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv,
	const struct et_cli_targets *targets, struct et_call *out) ET_CHECK;
/* Returns the exit status, after printing an error. */
int et_call_run(struct et_call *call) ET_CHECK;
/* Refuses options that the action (or NULL) does not take, that lack or exclude another. */
int et_cli_check_relations(const struct et_verb *verb, const struct et_action *action,
	const struct et_operands *ops, struct et_error *err) ET_CHECK;
/* Returns the bit of the action that a command line names; 0: none. */
unsigned et_verb_action_named(const struct et_verb *verb, int argc, char **argv);
/* Returns the bits of the actions that take an option; 0: all. */
unsigned et_verb_takers(const struct et_verb *verb, const struct et_option *o);
/* Returns the actions of these bits as "check, apply", with texts around each. Caller frees. */
char *et_verb_list_actions(const struct et_verb *verb, unsigned bits, const char *before,
	const char *after, const char *last) __attribute__((malloc, returns_nonnull));
/*
 * Walks all options of a command in the order of the help; *at begins as { 0 }. Fills *out with the
 * row as changed_options changes it. Returns false after the last.
 */
struct et_option_walk {
	size_t table, row;
};
bool et_verb_next_option(
	const struct et_verb *verb, struct et_option_walk *at, struct et_option *out);
/* Returns a row of the command's tables as changed_options changes it. */
struct et_option et_verb_changed(const struct et_verb *verb, const struct et_option *o);
/* Whether "a|b|@kind" names an option, or its kind. */
bool et_option_is_listed(const char *list, const struct et_option *o);
/* Whether the column `excludes` of an option names the other one, or its kind. */
bool et_option_excludes(const struct et_option *o, const struct et_option *other);
/* Prints the version and the features of this build. */
int et_cli_version(void) ET_CHECK;
/* Returns the width of the terminal, else COLUMNS, else 80. */
int et_cli_columns(void);
/* all: also the options that few people need. */
void et_cli_help(const struct et_cli *cli, const struct et_verb *verb, bool all);
/* Prints a paragraph of a help text as wide as the terminal; newlines in text become spaces. */
void et_cli_help_text(int indent, const char *lead, const char *text);
/* Prints "etalon: what" and the hint; returns the exit status. */
int et_cli_fail(const struct et_error *err) ET_CHECK;
/* How a result is printed. */
struct et_text_options et_cli_text(const struct et_cli *cli);
/* Prints warnings that belong to no result on stderr, and frees them. */
void et_cli_warn(struct et_warnings *w);
/* The path of the running etalon, by which it can start itself. */
int et_cli_own_path(char *buf, size_t size, struct et_error *err) ET_CHECK;
/*
 * Returns --store, else ETALON_STORE, else NULL: the user's own file. It may have a password: see
 * et_store_url_without_secrets.
 */
const char *et_cli_store_given(const struct et_cli *cli) ET_CHECK;
/* HOME, or the folder of the user in the user database. */
const char *et_cli_home(void);
/* The folder of the calibration of `put inc`; NULL if no variable names one. Caller frees. */
char *et_cli_state_dir(void) ET_CHECK;
/* Returns the path of the user's own store. Caller frees. */
char *et_cli_own_store(void) ET_CHECK;
/* Returns the URL of the store, also if none was given, to open it. Caller frees. */
char *et_cli_store_url(const struct et_cli *cli) ET_CHECK;
/* The same to be shown on a terminal: without passwords. Caller frees. */
char *et_cli_store_shown(const struct et_cli *cli) ET_CHECK;
/*
 * Closes an output (stdout is flushed) and fails if not all was written. A pipe that its reader
 * closed is no failure, so that other outputs are still written; et_cli_end reports it.
 */
int et_cli_close_output(FILE *f, const char *path, struct et_error *err) ET_CHECK;
/* Returns the final exit status: not 0 if an output could not be written, or was not read. */
int et_cli_end(int status) ET_CHECK;
