/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table for a terminal with a line per row: figures are aligned at their sign ±, names are
 * shortened to the room that is left, and columns are omitted if the page is too narrow.
 */
#ifndef ET_REPORT_SHEET_H
#define ET_REPORT_SHEET_H

#include "model/profile_result.h"
#include "report/terminal.h"
#include "report/units.h"

enum { ET_SHEET_COLUMNS = 12 };

enum et_sheet_kind {
	ET_SHEET_FIGURE, /* the left part is right-aligned and meets the right part */
	ET_SHEET_NAME,   /* any text, which is cleaned and shortened */
	ET_SHEET_BAR,    /* takes the room that is left */
};

struct et_sheet_column {
	const char *title;
	enum et_sheet_kind kind;
	int drop; /* columns with the smallest number are omitted first; 0: never */
};

struct et_sheet_cell {
	char left[ET_FIGURE], right[ET_FIGURE];
	char *name;        /* of a name; owned */
	double bar;        /* from 0 to 1 */
	const char *style; /* an SGR parameter, or NULL */
};

struct et_sheet {
	const struct et_sheet_column *columns;
	size_t n_columns;
	struct et_sheet_cell *cells; /* row by row */
	size_t n_cells, cap;
};

/* Appends an empty cell; it is valid until the next is added. */
struct et_sheet_cell *et_sheet_cell(struct et_sheet *s);
void et_sheet_name(struct et_sheet *s, const char *name, const char *style);
void et_sheet_bar(struct et_sheet *s, double share, const char *style);
/*
 * "79.8" and "± 0.6", with the digits that the uncertainty supports, but at least two of the value;
 * "98" and "(30 … 100)" if the interval is not symmetric, because it ends at a bound. NaN is a
 * dash.
 */
void et_split_figure(
	double x, struct et_span interval, char left[ET_FIGURE], char right[ET_FIGURE]);
/* A cell with these two parts, and the same of a symmetric interval. */
void et_sheet_interval(struct et_sheet *s, double x, struct et_span interval, const char *style);
void et_sheet_measured(struct et_sheet *s, double x, double uncertainty, const char *style);
void et_sheet_text(struct et_sheet *s, const char *left, const char *right, const char *style);
/* Prints the table and frees what it owns. */
void et_sheet_print(struct et_sheet *s, const struct et_page *page);

#endif
