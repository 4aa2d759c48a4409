/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all commands share: the table of commands, the common options, how errors are printed. */
#ifndef ET_CMD_CLI_H
#define ET_CMD_CLI_H

#include "base/error.h"
#include "base/option.h"

#include <stdbool.h>

struct et_cli {
	int verbosity;     /* -1 quiet, 0, 1 verbose */
	bool color;        /* decided for stdout */
	bool progress;     /* decided for stderr */
	int columns;       /* width of the terminal, 80 when there is none */
	const char *store; /* --store, or NULL */
};

struct et_verb {
	const char *name;
	const char *summary;  /* one line */
	const char *usage;    /* "[options] COMMAND…"; several lines for several forms */
	const char *about;    /* a paragraph or NULL */
	const char *examples; /* lines as typed, each runs in a test */
	const struct et_option *options; /* its own, or NULL */
	/* For completion: "KEPT" (an id), "COMMAND", choices "a|b", or NULL: files. */
	const char *operands;
	bool uses_store; /* takes --store */
	/* argv[0] is the command's name; returns the exit status. */
	int (*run)(struct et_cli *cli, int argc, char **argv);
};

/* NULL-terminated list of all commands. */
extern const struct et_verb *const et_verbs[];

/* Options every command has; those of --store, for commands that use the store. */
extern const struct et_option et_common_options[];
extern const struct et_option et_store_options[];

/*
 * Parses argv of a command: its own options go to fn, the common ones into cli. Returns -1 to go
 * on, else the exit status to end with (help was printed, or an error).
 */
int et_cli_parse(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv,
	et_option_fn fn, void *ctx, struct et_operands *ops);
/* The version, and what this build can do. */
int et_cli_version(void);
/* Columns of the terminal, or of COLUMNS, or 80. */
int et_cli_columns(void);
void et_cli_help(const struct et_cli *cli, const struct et_verb *verb);
/* A paragraph of a help text, as wide as the terminal; lines of text flow together. */
void et_cli_help_text(int indent, const char *lead, const char *text);
/* Prints "etalon: what" and the hint; returns the exit status. */
int et_cli_fail(const struct et_error *err);
/* Where this very program is, for running it again. */
int et_cli_own_path(char *buf, size_t size, struct et_error *err) ET_CHECK;
/* --store or ETALON_STORE; NULL: the user's own file. */
const char *et_cli_store_given(const struct et_cli *cli);
/* The store's URL, given or not. Caller frees. */
char *et_cli_store_url(const struct et_cli *cli);
/* Opens path for writing, "-" is stdout; NULL with err filled on failure. */
FILE *et_cli_open_output(const char *path, struct et_error *err);
/*
 * Closes it (stdout is flushed) and tells whether everything was written: a disk may be full. A
 * reader that went away is no failure: what else there is to write is written.
 */
int et_cli_close_output(FILE *f, const char *path, struct et_error *err) ET_CHECK;
/* The last word on the exit status: was all that was printed written, and read? */
int et_cli_end(int status);

#endif
