/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table for a terminal, row by row. One that is wider than the page is continued below itself,
 * every part with the first column again: nothing is left out.
 *
 *	const struct et_page *page = et_rows_begin(&rows, given);
 *	fprintf(page->out, "%-14s", name); et_cell(page, 10, figure); …; putc('\n', page->out);
 *	et_rows_end(&rows);
 */
#ifndef ET_REPORT_ROWS_H
#define ET_REPORT_ROWS_H

#include "report/terminal.h"

struct et_rows {
	struct et_page page; /* where rows are gathered */
	const struct et_page *given;
	char *text;
	size_t size;
};

/* The page that rows are printed to until et_rows_end puts them on the given one. */
const struct et_page *et_rows_begin(struct et_rows *r, const struct et_page *given);
void et_rows_end(struct et_rows *r);
/* A text at the right of so many columns. */
void et_right(const struct et_page *page, int width, const char *text);
/* The same, in a new column of the table: parts begin with one. */
void et_cell(const struct et_page *page, int width, const char *text);

#endif
