/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table whose cells are written as text for a terminal, as HTML, as CSV, and as JSON. Text and
 * HTML are rounded for people; CSV and JSON have all digits. Cells are added row by row.
 */
#ifndef ET_REPORT_GRID_H
#define ET_REPORT_GRID_H

#include "base/json.h"
#include "report/terminal.h"

enum et_grid_kind {
	ET_GRID_TEXT,
	ET_GRID_COUNT,
	ET_GRID_MS,    /* milliseconds, few digits: "63.5" */
	ET_GRID_TIME,  /* milliseconds, for times that differ little from each other: "1002.35" */
	ET_GRID_SD,    /* milliseconds, of their standard deviation: "2.147" */
	ET_GRID_SPAN,  /* seconds: "1.5 h" */
	ET_GRID_RATIO, /* "8.5e-05" */
};

struct et_grid_column {
	const char *key;     /* in CSV and JSON; NULL: the column is only in the text */
	const char *heading; /* in the text; NULL: the column is only in CSV and JSON */
	enum et_grid_kind kind;
	int width; /* in the text */
};

struct et_grid_cell {
	char *text;    /* owned; of a column of text: NULL is no value */
	double number; /* of the others: NaN is no value */
};

struct et_grid {
	const char *number; /* by which it is found, such as "VIII" */
	char *title;        /* owned */
	const char *empty;  /* why there are no rows */
	/*
	 * In the text, successive rows with the same first cell are one paragraph: "75  java 3,
	 * ntpd 1". Otherwise such a cell is printed once.
	 */
	bool grouped;
	const struct et_grid_column *columns;
	size_t n_columns;
	struct et_grid_cell *cells;
	size_t n_cells, cap_cells;
};

void et_grid_add(struct et_grid *g, double number);
void et_grid_add_text(struct et_grid *g, const char *text); /* copied; may be NULL */
void et_grid_free(struct et_grid *g);                       /* what it owns */

void et_grid_text(const struct et_grid *g, const struct et_page *page);
/* Writes a heading and a table of a page. */
void et_grid_html(const struct et_grid *g, FILE *out);
/* Writes a line of keys and the rows; the first column, "table", is the table's number. */
void et_grid_csv(const struct et_grid *g, FILE *out);
/* Writes the key of the table's number: an object with its title and its rows. */
void et_grid_json(const struct et_grid *g, struct et_json *w);

#endif
