/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all commands: their table, the common options, help, errors and outputs. */
#ifndef ET_CMD_CLI_H
#define ET_CMD_CLI_H

#include "base/error.h"
#include "base/option.h"
#include "cmd/confine.h"
#include "model/warning.h"
#include "report/text.h"

#include <stdbool.h>

/* The options of an engine, by which an experiment runs on other machines (cmd/campaign.h). */
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

struct et_cli {
	int verbosity;     /* -1 quiet, 0, 1 verbose */
	bool color;        /* whether stdout gets colours */
	bool progress;     /* whether stderr gets a progress line */
	int columns;       /* width of the terminal, 80 when there is none */
	bool full_names;   /* nothing sets a width: a table may be as wide as its names need */
	const char *store; /* --store without passwords, or NULL */
	bool measures;     /* a central store is reached through the spool: see cmd/stored.h */
	struct et_engine_wish engine; /* of commands with uses_engine */
};

struct et_verb {
	const char *name;
	const char *summary;  /* one line of `etalon --help` */
	const char *usage;    /* "[options] COMMAND…"; several lines for several forms */
	const char *about;    /* a paragraph or NULL */
	const char *examples; /* lines as typed; a test runs each */
	const struct et_option *options; /* of this command only, or NULL */
	/* The options of another command that fill the same structure, or NULL. */
	const struct et_option *shared_options;
	/* Shared options with another default: their names, and the help that replaces theirs. */
	const struct et_option *other_defaults;
	/* For completion: "STORED" (an id), "COMMAND", choices "a|b", or NULL for files. */
	const char *operands;
	/* If the choices are in a table: returns the i-th name, NULL after the last. */
	const char *(*operand)(size_t i);
	bool internal;         /* not for people: `etalon --help` does not list it */
	bool uses_store;       /* takes --store */
	bool uses_engine;      /* takes et_engine_options */
	bool runs_programs;    /* takes et_child_options, which fill a struct et_run_options */
	bool exports;          /* takes the options of the table of formats, such as --export-csv */
	enum et_rights rights; /* the others are given up before it runs */
	/* argv[0] is the command's name; returns the exit status. */
	int (*run)(struct et_cli *cli, int argc, char **argv);
};

extern const struct et_option et_engine_options[]; /* they fill a struct et_engine_wish */

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

/*
 * Parses argv of a command. The common options go into cli. Returns -1 if the command is to
 * continue, else the exit status to end with: help was printed, or an error.
 */
int et_cli_parse(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv, void *ctx,
	struct et_operands *ops) ET_CHECK;
int et_cli_parse_into(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv,
	const struct et_cli_targets *targets, struct et_operands *ops) ET_CHECK;
/*
 * Walks all tables of a command's options: its own, the formats', the store's, the common ones.
 * Returns NULL after the last.
 */
const struct et_option *et_verb_table(const struct et_verb *verb, size_t i);
/* Prints the version and the features of this build. */
int et_cli_version(void) ET_CHECK;
/* Returns the width of the terminal, else COLUMNS, else 80. */
int et_cli_columns(void);
/* Whether there is a terminal or COLUMNS is set. */
bool et_cli_has_width(void);
void et_cli_help(const struct et_cli *cli, const struct et_verb *verb);
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
 * Closes an output (stdout is only flushed) and fails if not everything was written, for instance
 * because the disk is full. It does not fail if the reader of a pipe has closed it, so that other
 * outputs are still written; et_cli_end reports that.
 */
int et_cli_close_output(FILE *f, const char *path, struct et_error *err) ET_CHECK;
/* Returns the final exit status: not 0 if an output could not be written, or was not read. */
int et_cli_end(int status) ET_CHECK;

#endif
