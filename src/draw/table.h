/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table: columns, and cells that are added row by row. On a terminal it has a line per row:
 * figures are aligned at their sign ±, names are shortened to the room that is left, and columns
 * are omitted, or continue below, if the page is too narrow. The same rows are written as HTML, CSV
 * and JSON: text and HTML are rounded for people, CSV and JSON have all digits.
 *
 *	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "daemon"),
 *		ET_COLUMN(NUMBER, "runs", .drop = 1), ET_COLUMN(FIGURE, "mean") };
 *	struct et_table t = { ET_COLUMNS(columns) };
 *	et_table_name(&t, name, NULL);
 *	et_table_add(&t, "%zu", n);
 *	et_table_measured(&t, mean, u, NULL);
 *	et_table_print(&t, page);
 *
 * A row of names and numbers whose columns have a format: et_table_row(&t, name, mean, max).
 */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "model/experiment/field_rows.h"
#include "model/result/profile_result.h"

enum et_table_kind {
	ET_TABLE_FIGURE,  /* the left part is right-aligned and meets the right part */
	ET_TABLE_NUMBER,  /* right-aligned, as is its title */
	ET_TABLE_TEXT,    /* left-aligned, never shortened */
	ET_TABLE_NAME,    /* left-aligned, shortened to the room that is left */
	ET_TABLE_COMMAND, /* the same, but the part in which the names differ is kept */
	ET_TABLE_BAR,     /* takes the room that is left */
};

struct et_table_column {
	const char *title; /* NULL: the column is only in CSV and JSON */
	enum et_table_kind kind;
	int drop;        /* columns with the smallest number are omitted first; 0: never */
	const char *key; /* in CSV and JSON; NULL: the column is only in the text */
	const char *(*format)(double x, char buf[ET_FIGURE]); /* of et_table_number */
	int least;        /* columns of a name before columns are omitted for it; 0: 12 */
	int brief;        /* like drop: what is in parentheses is omitted */
	const char *over; /* a heading over all successive columns that have it */
};

struct et_table_cell {
	char *text;   /* owned; NULL: none */
	size_t split; /* bytes of the left part */
	double number;
	const char *style; /* an SGR parameter, or NULL */
	const char *lead;  /* of a note */
	int indent;
	bool name, note;
};

struct et_table {
	const struct et_table_column *columns;
	size_t n_columns;
	/*
	 * Columns up to this `drop` are omitted before a name is shortened, and all before two
	 * names become one; then names are whole. 0: names are shortened first.
	 */
	int names_first;
	int spare; /* only that: columns up to this `drop` are omitted before a name is shortened */
	int indent; /* blanks before each line */
	bool split; /* columns without room continue below, each part with the first column */
	bool whole; /* a page has all rows, however many they are */
	bool once;  /* a first cell that is equal to the one above is not repeated */
	/*
	 * In text and HTML, successive rows with the same first cell are one paragraph: "75  java
	 * 3, ntpd 1", with the second part at the column `grouped`.
	 */
	int grouped;
	/* A table with a number, such as "VIII", has a caption, and is printed even if empty. */
	const char *number;
	char *caption;               /* owned */
	const char *empty;           /* why there are no rows */
	struct et_table_cell *cells; /* row by row */
	size_t n_cells, cap;
	struct et_table_column *own; /* by et_table_column */
	size_t cap_own;
	unsigned omitted, shortened; /* set by et_table_print: columns, by `drop` and by `brief` */
};

/* ET_COLUMN(NAME, "daemon", .drop = 1), and { ET_COLUMNS(array), .indent = 2 } of a table. */
#define ET_COLUMN(kind_, ...)                                                                      \
	{                                                                                          \
		.kind = ET_TABLE_##kind_, .title = __VA_ARGS__                                     \
	}
#define ET_COLUMNS(array) .columns = (array), .n_columns = ET_LENGTH(array)

/* Appends a column to a table that has no array of them, before the first cell. */
void et_table_column(struct et_table *t, enum et_table_kind kind, const char *title);
/* The last n columns have this heading over them; "": they are only not separated. */
void et_table_over(struct et_table *t, size_t n, const char *over);
/* A name of any origin; NULL is no value. */
void et_table_name(struct et_table *t, const char *name, const char *style);
/* Cells that are separated by tabs: not for names of any origin, which may contain one. */
void et_table_add(struct et_table *t, const char *fmt, ...) ET_PRINTF(2, 3);
/* A value; its column must have a format. NaN is a dash. */
void et_table_number(struct et_table *t, double x);
/* At most 12 such cells at once: a text is a name in no style, anything else a number. */
#define et_table_row(t, ...) ((void)(ET_EACH(ET_TABLE_CELL, t, __VA_ARGS__)))
#define ET_TABLE_CELL(t, x)                                                                        \
	_Generic((x), char * : et_table_plain, const char * : et_table_plain, default              \
		 : et_table_number)(t, x)
void et_table_plain(struct et_table *t, const char *name);
/* A share from 0 to 1. */
void et_table_bar(struct et_table *t, double share, const char *style);
/*
 * "79.8" and "± 0.6", with the digits that the uncertainty supports, at least two of the value;
 * "98" and "(30 … 100)" if the interval ends at a bound. NaN is a dash.
 */
void et_split_figure(
	double x, struct et_span interval, char left[ET_FIGURE], char right[ET_FIGURE]);
/* A cell with these two parts, and the same of a symmetric interval. */
void et_table_interval(struct et_table *t, double x, struct et_span interval, const char *style);
void et_table_measured(struct et_table *t, double x, double uncertainty, const char *style);
void et_table_text(struct et_table *t, const char *left, const char *right, const char *style);
/* Instead of a row: a paragraph that begins with `lead`, which is not copied. */
void et_table_note(
	struct et_table *t, int indent, const char *lead, const char *style, const char *text);

/* These functions write the table and free what it owns. */
void et_table_print(struct et_table *t, const struct et_page *page);
/* Writes a table of a page, with its caption as a heading. */
void et_table_html(struct et_table *t, FILE *out);
/* Writes a line of keys and the rows; the first column, "table", is the table's number, if any. */
void et_table_csv(struct et_table *t, FILE *out);
/* Writes the key of the table's number: an object with its caption and its rows. */
void et_table_json(struct et_table *t, struct et_json *w);
/* Writes the rows alone: an array of objects. */
void et_table_json_rows(struct et_table *t, const char *key, struct et_json *w);

/* For the writers: whether the first cell of a row is that of the row above. */
bool et_table_repeats(const struct et_table *t, size_t row);
/* "java 3, ntpd 1" of the rows from `row` on with the same first cell; *end is the next row. */
char *et_table_join(const struct et_table *t, size_t row, size_t *end);
void et_table_free(struct et_table *t);
