/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SQL of the store, written once for all databases. It must be understood by SQLite and by
 * PostgreSQL; the few words that differ are in a dialect. Nothing here calls a database.
 *
 * In the texts, $NAME stands for a list of columns or for a word of the dialect, $NAME? for one
 * placeholder per column of the list, ? for the next placeholder and ?N for the N-th.
 */
#pragma once

#include "model/experiment/field.h"

/* $many in a dialect whose back end must know it. */
#define ET_SQL_MANY "/* many */ "

enum et_placeholder {
	ET_PLACEHOLDER_QUESTION, /* ?1 ?2 …: SQLite */
	ET_PLACEHOLDER_DOLLAR,   /* $1 $2 …: PostgreSQL */
};

struct et_sql_word {
	const char *name, *text; /* a NULL name ends the list */
};

struct et_dialect {
	enum et_placeholder placeholder;
	/*
	 * The types of columns: $key (a number that the database assigns, the primary key), $int
	 * (64 bits), $real, $blob, $text. And the words after the closing parenthesis of a table:
	 * $table, or $table_by_key for a table that is stored in the order of its primary key. $me
	 * is the user of the database, $lock_row the end of a SELECT that locks its row. $many
	 * begins a query that may return a million rows, so that they are read in parts. $soon is
	 * the latest time at which an experiment can have begun.
	 */
	const struct et_sql_word *words;
};

/* The columns that hold the fields of one struct. */
struct et_columns {
	const char *name;   /* $NAME in the texts */
	const char *prefix; /* a column is named PREFIX followed by the field's name */
	const struct et_field *fields;
	const char *omit; /* the name of a field that has no column, or NULL */
};

extern const struct et_columns et_columns_sample;
extern const struct et_columns et_columns_removal;
extern const struct et_columns et_columns_culprit;
extern const struct et_columns et_columns_plan;
extern const struct et_columns et_columns_child;
extern const struct et_columns et_columns_host;
extern const struct et_columns et_columns_factor;
extern const struct et_columns et_columns_first_check;
extern const struct et_columns et_columns_member;
extern const struct et_columns et_columns_study;
extern const struct et_columns et_columns_figure;
extern const struct et_columns et_columns_profile_plan;
extern const struct et_columns et_columns_profile;
extern const struct et_columns et_columns_profile_function;
extern const struct et_columns et_columns_profile_run;

/* Returns the first field from f on that has a column; NULL after the last. */
static inline const struct et_field *et_columns_next(
	const struct et_columns *columns, const struct et_field *f)
{
	if (columns->omit && f->name && !strcmp(f->name, columns->omit))
		f++;
	return f->name ? f : NULL;
}

/*
 * Adds the summaries of the experiments that WHERE selects: per command, the number, the mean and
 * the sum of squared deviations over the samples that count (et_command_arrangement: solo runs,
 * else paced ones, else duets, which is the alphabet backwards). Times are per call, if it is known
 * how often a function was called. CROSS JOIN keeps SQLite from reading all samples once per
 * command.
 */
#define ET_SQL_SUMMARISE(where)                                                                    \
	"INSERT INTO summary (experiment, command, samples, et_mean, et_squares, pt_mean,"         \
	" pt_squares)"                                                                             \
	" WITH chosen AS (SELECT s.experiment, s.command, max(s.arrangement) AS arrangement"       \
	" FROM sample s WHERE s.warmup = 0" where " GROUP BY s.experiment, s.command),"            \
	" good AS (SELECT s.experiment, s.command,"                                                \
	" CAST(s.et_ns AS $real) / coalesce(nullif(s.calls, 0), 1) AS et,"                         \
	" CAST(s.pt_ns AS $real) / coalesce(nullif(s.calls, 0), 1) AS pt"                          \
	" FROM sample s CROSS JOIN chosen c WHERE s.warmup = 0 AND s.removed_by IS NULL" where     \
	" AND c.experiment = s.experiment AND c.command = s.command"                               \
	" AND c.arrangement = s.arrangement),"                                                     \
	" centre AS (SELECT experiment, command, count(et) AS n, avg(et) AS et, avg(pt) AS pt"     \
	" FROM good GROUP BY experiment, command)"                                                 \
	" SELECT m.experiment, m.command, m.n, m.et, sum((g.et - m.et) * (g.et - m.et)), m.pt,"    \
	" sum((g.pt - m.pt) * (g.pt - m.pt)) FROM good g CROSS JOIN centre m"                      \
	" WHERE m.experiment = g.experiment AND m.command = g.command"                             \
	" GROUP BY m.experiment, m.command, m.n, m.et, m.pt;"

#define ROW(name, text) ET_SQL_##name,
enum et_sql {
#include "store/core/sql_rows.h"
	ET_SQL_LENGTH,
};
#undef ROW

/* Returns a statement in the dialect. The caller frees it. */
char *et_sql_statement(enum et_sql which, const struct et_dialect *dialect);
/* The same for any text. An unknown $NAME is copied as it is. */
char *et_sql_expand(const char *text, const struct et_dialect *dialect);
