/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One table of options per command. Parsing (over getopt_long), help, completion and the check of
 * the man pages all read the same rows.
 */
#ifndef ET_BASE_OPTION_H
#define ET_BASE_OPTION_H

#include "base/error.h"

struct et_option {
	char letter;        /* short form, or 0 */
	const char *name;   /* long form, without dashes; NULL ends the table */
	const char *arg;    /* NULL: takes none; "N"; "[ID]": optional; "VAR MIN MAX": several */
	const char *help;   /* one sentence, the default in parentheses */
	const char *values; /* for completion: "a|b|c", "FILE", "USER", "STORE" or NULL */
	int id;             /* what the handler is given */
};

struct et_operands {
	char **before; /* operands in order, NULL-terminated; points into argv */
	size_t n_before;
	char **after; /* what stood behind "--", or NULL when there was none */
	size_t n_after;
};

/* args has as many entries as the option's arg has words; an absent optional argument is NULL. */
typedef int (*et_option_fn)(void *ctx, int id, char *const *args, struct et_error *err);

/*
 * Walks argv; argv[0] is what the user calls this program or command, for hints. tables is a
 * NULL-terminated list, so that options common to all commands stand in one place. before is
 * allocated and freed by et_operands_free.
 */
int et_options_parse(const struct et_option *const *tables, int argc, char **argv, et_option_fn fn,
	void *ctx, struct et_operands *out, struct et_error *err) ET_CHECK;
void et_operands_free(struct et_operands *ops);

/* "-r, --runs N      help…", wrapped to width columns. */
void et_options_help(const struct et_option *table, FILE *out, int width);
/* How many words an option takes: 0, 1, 2, 3; an optional argument counts 1. */
int et_option_arity(const struct et_option *o);

#endif
