/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads rows of CSV (RFC 4180; also with semicolons or tabs) from a span of bytes. Empty lines and
 * lines that begin with # are skipped. It does not know what the cells mean. The caller sets p,
 * end, next_line and separator, and all else to 0. Private to src/store.
 */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

enum { ET_CSV_MOST_COLUMNS = 1000, ET_CSV_MOST_TEXT = 1 << 20 };

struct et_csv {
	const char *p, *end; /* the bytes that are still to be read */
	size_t line;         /* number of the line at which the last row began */
	size_t next_line;    /* number of the line at p; the first is 1 */
	char separator;
	const char *problem; /* after a failure: what is wrong with the row */
	char *text;          /* the cells of the last row, each with its NUL */
	size_t n_text, cap_text;
	size_t cells[ET_CSV_MOST_COLUMNS]; /* where each begins in text */
	size_t n_cells;
};

/*
 * Sets the separator to the first comma, semicolon or tab on the first line that is not skipped, or
 * to a comma if that line has none.
 */
void et_csv_find_separator(struct et_csv *c);
/* Reads the next row. Returns 1 with a row, 0 at the end, or -EINVAL with c->problem set. */
int et_csv_row(struct et_csv *c) ET_CHECK;
/* Returns the text of a cell, valid until the next row; "" if the row has fewer cells. */
const char *et_csv_cell(const struct et_csv *c, size_t i);
void et_csv_free(struct et_csv *c); /* frees the members, not the struct */
