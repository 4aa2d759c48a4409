/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table for a terminal, printed row by row. If it is wider than the page, it is split into parts
 * below each other, each of which begins with the first column.
 *
 *	const struct et_page *page = et_rows_begin(&rows, given);
 *	fprintf(page->out, "%-14s", name); et_cell(page, 10, figure); …; putc('\n', page->out);
 *	et_rows_end(&rows);
 */
#ifndef ET_REPORT_ROWS_H
#define ET_REPORT_ROWS_H

#include "base/memstream.h"
#include "report/terminal.h"

struct et_rows {
	struct et_page page; /* writes to stream */
	const struct et_page *given;
	struct et_memstream stream;
};

/* Returns the page to print rows to; et_rows_end prints them on the given page. */
const struct et_page *et_rows_begin(struct et_rows *r, const struct et_page *given);
void et_rows_end(struct et_rows *r);
/* Prints a text right-aligned in this many columns. */
void et_right(const struct et_page *page, int width, const char *text);
/* The same, in a new column of the table: the table is split only between columns. */
void et_cell(const struct et_page *page, int width, const char *text);

#endif
