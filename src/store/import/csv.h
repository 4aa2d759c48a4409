/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads rows of CSV (RFC 4180; also with semicolons or tabs) from a span of bytes, or line by line
 * from a stream. Empty lines and lines that begin with # are skipped. Private to src/store.
 */
#pragma once

#include "store/import/importer.h"

enum { ET_CSV_MOST_COLUMNS = 1000, ET_CSV_MOST_TEXT = 1 << 20 };

/* The caller sets the first three members, or calls et_csv_open, and sets all else to 0. */
struct et_csv {
	struct et_importer *in; /* for errors */
	struct et_lines *lines; /* the stream; NULL: a text in memory */
	bool blanks; /* without a comma or semicolon in the first line, blanks separate columns */
	const char *p, *end; /* the bytes that are still to be read */
	size_t line;         /* number of the line at which the last row began */
	size_t next_line;    /* number of the line at p; the first is 1 */
	char separator;
	char *text; /* the cells of the last row, each with its NUL */
	size_t n_text, cap_text;
	size_t cells[ET_CSV_MOST_COLUMNS]; /* where each begins in text */
	size_t n_cells;
};

/*
 * Begins to read a text: skips a byte order mark, and refuses NULs. The separator is the first
 * comma, semicolon or tab on the first line that is not skipped, or a comma if that has none.
 */
int et_csv_open(struct et_csv *c, struct et_importer *in, const char *data, size_t size) ET_CHECK;
/* Reads the next row. Returns 1 with a row, 0 at the end, or -errno with the error filled. */
int et_csv_next(struct et_csv *c) ET_CHECK;
/* Makes the error "NAME: line N: TEXT" about the last row. */
int et_csv_fail(const struct et_csv *c, const char *fmt, ...) ET_PRINTF(2, 3);
/* Returns the text of a cell, valid until the next row; "" if the row has fewer cells. */
const char *et_csv_cell(const struct et_csv *c, size_t i);
void et_csv_free(struct et_csv *c); /* frees the members, not the struct */

/* Finds a column of the last row by its heading, if it is one, or by its number from 1. */
bool et_csv_find(const struct et_csv *c, const char *wanted, bool heading, size_t *out);
/* Lists the cells of the last row, which are the names of the columns, for a hint. */
enum { ET_CSV_NAMES = 300 };
const char *et_csv_names(const struct et_csv *c, char names[ET_CSV_NAMES]);
bool et_csv_is_number(const char *text);
/* "1,5": one comma between digits, as some languages write decimals. */
bool et_csv_has_decimal_comma(const char *text);
/* Nanoseconds per unit, by the end of a heading, such as _ms; without one it is in seconds. */
double et_csv_unit_ns(const char *heading);
/* Removes the quote that `export` puts before a text which a spreadsheet takes for a formula. */
const char *et_csv_plain(const char *text);
