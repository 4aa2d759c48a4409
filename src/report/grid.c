/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/grid.h"
#include "base/alloc.h"
#include "report/csv.h"
#include "report/daemons.h"
#include "report/html.h"
#include "report/rows.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

enum { MOST_COLUMNS = 16, MOST_ROWS = 1000 }; /* of a page */

void et_grid_add(struct et_grid *g, double number)
{
	ET_GROW(g->cells, g->n_cells, g->cap_cells);
	g->cells[g->n_cells++] = (struct et_grid_cell){ .number = number };
}

void et_grid_add_text(struct et_grid *g, const char *text)
{
	ET_GROW(g->cells, g->n_cells, g->cap_cells);
	g->cells[g->n_cells++] =
		(struct et_grid_cell){ .text = text ? et_strdup(text) : NULL, .number = NAN };
}

void et_grid_free(struct et_grid *g)
{
	for (size_t i = 0; i < g->n_cells; i++)
		free(g->cells[i].text);
	free(g->cells);
	free(g->title);
}

static const struct et_grid_cell *row_at(const struct et_grid *g, size_t row)
{
	return &g->cells[row * g->n_columns];
}

static size_t count_rows(const struct et_grid *g)
{
	return g->n_cells / g->n_columns;
}

/* --- text --- */

/* Times that differ in their last digits need these; a day in milliseconds does not. */
static int time_decimals(double ms)
{
	return ms >= 10000 ? 1 : ms >= 100 ? 2 : 3;
}

static int sd_decimals(double ms)
{
	return ms >= 100 ? 1 : ms >= 10 ? 2 : 3;
}

static const char *shown(
	enum et_grid_kind kind, const struct et_grid_cell *cell, char buf[ET_FIGURE])
{
	if (kind == ET_GRID_TEXT)
		return cell->text ? cell->text : "";
	if (isnan(cell->number))
		return ET_DASH;
	switch (kind) {
	case ET_GRID_MS:
		/* Some records are in whole milliseconds. */
		if (cell->number != floor(cell->number))
			return et_format_ms(cell->number, buf);
		break;
	case ET_GRID_SPAN:
		return et_format_span(cell->number, buf);
	case ET_GRID_TIME:
		snprintf(buf, ET_FIGURE, "%.*f", time_decimals(cell->number), cell->number);
		return buf;
	case ET_GRID_SD:
		snprintf(buf, ET_FIGURE, "%.*f", sd_decimals(cell->number), cell->number);
		return buf;
	case ET_GRID_RATIO:
		snprintf(buf, ET_FIGURE, "%.1e", cell->number);
		return buf;
	default:
		break;
	}
	snprintf(buf, ET_FIGURE, "%.0f", cell->number);
	return buf;
}

static bool same_cell(const struct et_grid_cell *a, const struct et_grid_cell *b)
{
	if (a->text || b->text)
		return a->text && b->text && !strcmp(a->text, b->text);
	return a->number == b->number;
}

static void first_cell(const struct et_page *page, int width, const char *text)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");
	ET_AUTO_FREE char *fits = et_shorten(clean, width - 1);

	fprintf(page->out, "  %s%*s", fits, width - et_columns(fits), "");
}

static void plain_row(const struct et_grid *g, size_t row, const struct et_page *table)
{
	const struct et_grid_cell *cells = row_at(g, row);
	bool again = row && same_cell(cells, row_at(g, row - 1));
	char buf[ET_FIGURE];

	first_cell(table, g->columns[0].width, again ? "" : shown(g->columns[0].kind, cells, buf));
	for (size_t i = 1; i < g->n_columns; i++) {
		const struct et_grid_column *c = &g->columns[i];
		if (!c->heading)
			continue;
		ET_AUTO_FREE char *clean = et_clean(shown(c->kind, &cells[i], buf), "");
		et_cell(table, c->width, clean);
	}
	putc('\n', table->out);
}

static void plain_text(const struct et_grid *g, const struct et_page *page)
{
	struct et_rows rows;
	const struct et_page *table = et_rows_begin(&rows, page);

	first_cell(table, g->columns[0].width, g->columns[0].heading);
	for (size_t i = 1; i < g->n_columns; i++) {
		if (g->columns[i].heading)
			et_cell(table, g->columns[i].width, g->columns[i].heading);
	}
	putc('\n', table->out);
	for (size_t row = 0; row < count_rows(g); row++)
		plain_row(g, row, table);
	et_rows_end(&rows);
}

/* "java 3, ntpd 1" of the rows from `row` on with the same first cell; *end is the next row. */
static char *join_group(const struct et_grid *g, size_t row, size_t *end)
{
	const struct et_grid_cell *first = row_at(g, row);
	char *text = NULL, buf[ET_FIGURE];

	for (*end = row; *end < count_rows(g) && same_cell(first, row_at(g, *end)); ++*end) {
		const char *between = ", ";
		for (size_t i = 1; i < g->n_columns; i++, between = " ") {
			if (g->columns[i].heading)
				et_append(&text, between, "%s",
					shown(g->columns[i].kind, &row_at(g, *end)[i], buf));
		}
	}
	return text ? text : et_strdup("");
}

static void grouped_text(const struct et_grid *g, const struct et_page *page)
{
	char buf[ET_FIGURE];

	for (size_t row = 0, end; row < count_rows(g); row = end) {
		ET_AUTO_FREE char *lead =
			et_asprintf("  %s ", shown(g->columns[0].kind, row_at(g, row), buf));
		ET_AUTO_FREE char *text = join_group(g, row, &end);
		et_page_paragraph(page, g->columns[0].width + 2, lead, NULL, text, NULL);
	}
}

void et_grid_text(const struct et_grid *g, const struct et_page *page)
{
	ET_AUTO_FREE char *title = et_asprintf("Table %s: %s", g->number, g->title);

	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	if (!g->n_cells)
		et_page_paragraph(page, 2, " ", NULL, g->empty, NULL);
	else if (g->grouped)
		grouped_text(g, page);
	else
		plain_text(g, page);
}

/* --- HTML --- */

static void html_headings(const struct et_grid *g, FILE *out)
{
	const char *headings[MOST_COLUMNS + 1] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < g->n_columns && n < MOST_COLUMNS; i++) {
		if (g->columns[i].heading)
			headings[n++] = g->columns[i].heading;
	}
	et_html_table_begin(out, headings);
}

static void html_row(const struct et_grid *g, size_t row, FILE *out)
{
	const struct et_grid_cell *cells = row_at(g, row);
	bool again = row && same_cell(cells, row_at(g, row - 1));
	char buf[ET_FIGURE];

	fputs("<tr>", out);
	for (size_t i = 0; i < g->n_columns; i++) {
		const struct et_grid_column *c = &g->columns[i];
		if (c->heading)
			et_html_element(out, c->kind == ET_GRID_TEXT ? "td" : "td class=\"n\"",
				"%s", !i && again ? "" : shown(c->kind, &cells[i], buf));
	}
	fputs("</tr>\n", out);
}

static void grouped_html(const struct et_grid *g, FILE *out)
{
	const char *headings[] = { g->columns[0].heading, g->columns[1].heading, NULL };
	char buf[ET_FIGURE];

	et_html_table_begin(out, headings);
	for (size_t row = 0, end; row < count_rows(g); row = end) {
		ET_AUTO_FREE char *text = join_group(g, row, &end);
		fputs("<tr>", out);
		et_html_element(out, "td class=\"n\"", "%s",
			shown(g->columns[0].kind, row_at(g, row), buf));
		et_html_element(out, "td", "%s", text);
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
}

void et_grid_html(const struct et_grid *g, FILE *out)
{
	size_t rows = count_rows(g), n = rows < MOST_ROWS ? rows : MOST_ROWS;

	et_html_element(out, "h3", "Table %s: %s", g->number, g->title);
	if (!rows) {
		et_html_element(out, "p class=\"dim\"", "%s", g->empty);
		return;
	}
	if (g->grouped) {
		grouped_html(g, out);
		return;
	}
	html_headings(g, out);
	for (size_t row = 0; row < n; row++)
		html_row(g, row, out);
	et_html_table_end(out);
	if (rows > n)
		et_html_element(out, "p class=\"dim\"", "and %zu more rows", rows - n);
}

/* --- CSV and JSON --- */

void et_grid_csv(const struct et_grid *g, FILE *out)
{
	char buf[32];

	fputs("table", out);
	for (size_t i = 0; i < g->n_columns; i++) {
		if (g->columns[i].key)
			fprintf(out, ",%s", g->columns[i].key);
	}
	putc('\n', out);
	for (size_t row = 0; row < count_rows(g); row++) {
		const struct et_grid_cell *cells = row_at(g, row);
		fputs(g->number, out);
		for (size_t i = 0; i < g->n_columns; i++) {
			if (!g->columns[i].key)
				continue;
			putc(',', out);
			if (g->columns[i].kind == ET_GRID_TEXT)
				et_csv_text(cells[i].text, out);
			else if (isfinite(cells[i].number))
				fputs(et_shortest(cells[i].number, buf), out);
		}
		putc('\n', out);
	}
}

void et_grid_json(const struct et_grid *g, struct et_json *w)
{
	et_json_object(w, g->number);
	et_json_string(w, "title", g->title);
	et_json_array(w, "rows");
	for (size_t row = 0; row < count_rows(g); row++) {
		const struct et_grid_cell *cells = row_at(g, row);
		et_json_flat_object(w, NULL);
		for (size_t i = 0; i < g->n_columns; i++) {
			const struct et_grid_column *c = &g->columns[i];
			if (!c->key)
				continue;
			if (c->kind == ET_GRID_TEXT)
				et_json_string(w, c->key, cells[i].text);
			else
				et_json_double(w, c->key, cells[i].number);
		}
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}
