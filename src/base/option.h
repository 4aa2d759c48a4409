/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each command has one table of options. Parsing (by getopt_long), help, completion and the check
 * of the man pages read the same rows.
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
	int id;             /* passed to the handler */
};

struct et_operands {
	char **before; /* operands in order, NULL-terminated; points into argv */
	size_t n_before;
	char **after; /* operands after "--"; NULL if there was no "--" */
	size_t n_after;
};

/* args has as many elements as the option's arg has words; an omitted optional argument is NULL. */
typedef int (*et_option_fn)(void *ctx, int id, char *const *args, struct et_error *err);

/*
 * Parses argv and calls fn for each option. argv[0] is the name of the program or command in hints.
 * tables ends with NULL; commands share tables of common options. The caller frees out by
 * et_operands_free.
 */
int et_options_parse(const struct et_option *const *tables, int argc, char **argv, et_option_fn fn,
	void *ctx, struct et_operands *out, struct et_error *err) ET_CHECK;
void et_operands_free(struct et_operands *ops);

/* Writes the options as "-r, --runs N      help…", wrapped to width columns. */
void et_options_help(const struct et_option *table, FILE *out, int width);
/* Returns the number of words that an option takes, 0 to 3; an optional argument counts as 1. */
int et_option_arity(const struct et_option *o);

#endif
