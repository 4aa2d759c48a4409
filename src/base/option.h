/* SPDX-License-Identifier: MIT */
/*
 * Each command has one table of options. Parsing (by getopt_long), help, completion and the check
 * of the man pages read the same rows. A row says which member the option fills and how, so no
 * command has a switch over its options.
 */
#pragma once

#include "base/error.h"

struct et_option;

/*
 * A setter fills a member of ctx, the structure that belongs to the option's table, from the
 * arguments of the option. args has as many elements as the option's `arg` has words; an omitted
 * optional argument is NULL. Returns 0, or -errno with err filled.
 */
typedef int et_option_set(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err) ET_CHECK;

struct et_option {
	char letter;        /* short form, or 0 */
	const char *name;   /* long form, without dashes; NULL ends the table */
	const char *arg;    /* "N", "[ID]" if optional, "VAR MIN MAX" if several, NULL if none */
	const char *help;   /* one sentence, the default in parentheses */
	et_option_set *set; /* one of the setters below, or the command's own */
	size_t offset;      /* of the member that is filled, in ctx */
	/* The choices, for the setter, its error and completion; NULL ends them. One of these: */
	const char *const *names;         /* a list */
	const char *(*name_at)(size_t i); /* a function that returns the i-th, from 0 */
	const char *values;  /* completion of other values: "FILE", "USER", "a|b", or NULL */
	uint64_t lo, hi;     /* range of a whole number, or of a duration in ns; hi 0: no limit */
	const void *context; /* data for the command's own setter */
	unsigned bit;        /* is set in the table's `given`; 0: none */
	const char *group;   /* heading of the help above this row; NULL: the same as before */
	const char *kind;    /* by which other rows exclude it, or NULL: "plan" */
	/* Relations, which src/cli checks; names are those of options of the same command. */
	unsigned of;       /* bits of the actions that take it; 0: all */
	const char *needs; /* "a|b": one of these must be given, too */
	/* "a|b": none of these may be; "@plan": all of that kind; "ID": operands, by their name */
	const char *excludes;
	bool alone; /* with it the operands that the action needs may be omitted */
};

/* In a row: the member of `struct type` that it fills. */
#define ET_FILLS(type, member) .offset = offsetof(struct type, member)

/* Setters. Each fills a member of the type that its comment names, and checks the row's range. */
et_option_set et_set_true;        /* bool */
et_option_set et_set_false;       /* bool */
et_option_set et_set_text;        /* const char *, not copied */
et_option_set et_set_u64;         /* uint64_t */
et_option_set et_set_u32;         /* uint32_t */
et_option_set et_set_size;        /* size_t */
et_option_set et_set_int;         /* int, not negative */
et_option_set et_set_choice;      /* an enum: the position among the choices */
et_option_set et_set_duration;    /* uint64_t, nanoseconds; see et_parse_duration */
et_option_set et_set_ratio;       /* double; see et_parse_ratio */
et_option_set et_set_probability; /* double, between 0 and 1, both excluded */
et_option_set et_set_percent;     /* double, a proportion; see et_parse_percent */
et_option_set et_set_nothing;     /* none: the option only sets its bit in `given` */

/* Returns the address of the member that a setter fills. */
static inline void *et_option_target(const struct et_option *o, void *ctx)
{
	return (char *)ctx + o->offset;
}

enum { ET_OPTION_SHOWN = 64 };
/* Formats "--name" for errors and returns buf. */
const char *et_option_shown(const struct et_option *o, char buf[ET_OPTION_SHOWN]);

/* The same in a buffer that lives as long as its block. */
#define ET_SHOWN(o) et_option_shown(o, (char[ET_OPTION_SHOWN]){ 0 })

/* Returns the row of that name; NULL if there is none, or no table. */
const struct et_option *et_option_named(const struct et_option *table, const char *name);
/* Returns the i-th choice of an option; NULL after the last, or if it has none. */
const char *et_option_choice(const struct et_option *o, size_t i);
/* Returns the position of text among the choices of an option; -EINVAL if it is none of them. */
int et_option_find(const struct et_option *o, const char *text, struct et_error *err) ET_CHECK;

/* A table and the structure that its setters fill. */
struct et_option_table {
	const struct et_option *rows; /* NULL ends an array of tables */
	void *ctx;
	unsigned *given; /* collects the bits of the options that were given; may be NULL */
	unsigned action; /* if rows have the same name, the one that this action takes is used */
	const struct et_option *only; /* if not NULL: rows with a name that this table has, too */
};

/* The words of argv that are not options. The strings belong to argv. */
struct et_operands {
	char **before; /* the words before "--", or all; NULL-terminated */
	size_t n_before;
	char **after; /* the words after "--"; NULL if there was no "--" */
	size_t n_after;
	const struct et_option **options; /* the rows that were given, in their order */
	size_t n_options;
};

/*
 * Parses argv by several tables (a command's own, and the one that all commands share) and calls
 * the setter of each option that is given. argv[0] is the name of the command in hints. The caller
 * frees out by et_operands_free.
 */
int et_options_parse(const struct et_option_table *tables, int argc, char **argv,
	struct et_operands *out, struct et_error *err) ET_CHECK;
void et_operands_free(struct et_operands *ops);

/* Writes the options as "-r, --runs N      help…", wrapped to width columns. */
void et_options_help(const struct et_option *table, FILE *out, int width);
/* Returns the number of words that an option takes; an optional one counts. */
int et_option_arity(const struct et_option *o);
