/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each command has one table of options. Parsing (by getopt_long), help, completion and the check
 * of the man pages read the same rows. A row says which member the option fills and how, so no
 * command has a switch over its options.
 */
#ifndef ET_BASE_OPTION_H
#define ET_BASE_OPTION_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct et_option;

/*
 * Takes the arguments of an option and fills `ctx`, the structure that belongs to the option's
 * table. args has as many elements as the option's arg has words; an omitted optional argument is
 * NULL. Returns 0, or -errno with err filled.
 */
typedef int et_option_set(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err);

struct et_option {
	char letter;        /* short form, or 0 */
	const char *name;   /* long form, without dashes; NULL ends the table */
	const char *arg;    /* NULL: takes none; "N"; "[ID]": optional; "VAR MIN MAX": several */
	const char *help;   /* one sentence, the default in parentheses */
	et_option_set *set; /* one of the setters below, or the command's own */
	size_t offset;      /* of the member that is filled, in ctx */
	/* The names of an enum, NULL-terminated, for the setter, its error and completion. */
	const char *const *names;
	const char *values;  /* completion of other values: "FILE", "USER", "a|b", or NULL */
	uint64_t lo, hi;     /* range of a whole number, or of a duration in ns; hi 0: no limit */
	const void *context; /* for the command's own setter */
	unsigned bit;        /* set in the table's `given`; 0: none */
};

/* The member of a structure that a row fills. */
#define ET_FILLS(type, member) .offset = offsetof(struct type, member)

/* Setters. Each fills one type at offset and checks the row's range. */
et_option_set et_set_true;        /* bool */
et_option_set et_set_false;       /* bool */
et_option_set et_set_text;        /* const char *, not copied */
et_option_set et_set_u64;         /* uint64_t */
et_option_set et_set_u32;         /* uint32_t */
et_option_set et_set_size;        /* size_t */
et_option_set et_set_int;         /* int, from lo to hi */
et_option_set et_set_choice;      /* an enum, by names */
et_option_set et_set_duration;    /* uint64_t, nanoseconds */
et_option_set et_set_ratio;       /* double: "0.5%" or "0.005" */
et_option_set et_set_probability; /* double, neither 0 nor 1 */
et_option_set et_set_percent;     /* double, a proportion: "5" or "5%"; 0 if absent */
et_option_set et_set_nothing;     /* fills nothing but the bit in `given` */

/* Returns the member that a setter fills. */
static inline void *et_option_target(const struct et_option *o, void *ctx)
{
	return (char *)ctx + o->offset;
}

enum { ET_OPTION_SHOWN = 64 };
/* Formats "--name" for errors and returns buf. */
const char *et_option_shown(const struct et_option *o, char buf[ET_OPTION_SHOWN]);

/* A table and the structure that its setters fill. */
struct et_option_table {
	const struct et_option *rows; /* NULL ends a list of tables */
	void *ctx;
	unsigned *given; /* collects the bits of the options that were given; may be NULL */
};

struct et_operands {
	char **before; /* operands in order, NULL-terminated; points into argv */
	size_t n_before;
	char **after; /* the words after "--", or NULL if there was no "--" */
	size_t n_after;
};

/*
 * Parses argv and calls the setter of each option. argv[0] is the name of the program or command in
 * hints. Options that all commands share have their own table. The caller frees out by
 * et_operands_free.
 */
int et_options_parse(const struct et_option_table *tables, int argc, char **argv,
	struct et_operands *out, struct et_error *err) ET_CHECK;
void et_operands_free(struct et_operands *ops);

/* Writes the options as "-r, --runs N      help…", wrapped to width columns. */
void et_options_help(const struct et_option *table, FILE *out, int width);
/* Returns the number of words that an option takes, 0 to 3; an optional argument counts as 1. */
int et_option_arity(const struct et_option *o);

#endif
