/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a table as HTML, CSV and JSON. */
#include "draw/html.h"
#include "draw/table.h"
#include "draw/xml.h"

enum { MOST_ROWS = 1000 }; /* of a page */

static bool is_figure(const struct et_table_column *c)
{
	return c->format || c->kind == ET_TABLE_NUMBER || c->kind == ET_TABLE_FIGURE;
}

static void html_row(const struct et_table *t, size_t row, FILE *out)
{
	bool again = t->once && et_table_repeats(t, row);

	fputs("<tr>", out);
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct et_table_column *c = &t->columns[k];
		const char *text = t->cells[row * t->n_columns + k].text;
		if (c->kind == ET_TABLE_BAR)
			fprintf(out,
				"<td><svg width=\"150\" height=\"10\"><rect width=\"%.1f\" "
				"height=\"10\" class=\"share\"/></svg></td>\n",
				150 * t->cells[row * t->n_columns + k].number);
		else if (c->title)
			et_html_element(out, is_figure(c) ? "td class=\"n\"" : "td", "%s",
				text && (k || !again) ? text : "");
	}
	fputs("</tr>\n", out);
}

static void html_group(const struct et_table *t, size_t row, size_t *end, FILE *out)
{
	ET_AUTO_FREE char *text = et_table_join(t, row, end);

	fputs("<tr>", out);
	et_html_element(out, "td class=\"n\"", "%s", t->cells[row * t->n_columns].text);
	et_html_element(out, "td", "%s", text);
	fputs("</tr>\n", out);
}

static void html_rows(const struct et_table *t, FILE *out)
{
	ET_AUTO_FREE const char **titles = et_calloc(t->n_columns + 1, sizeof(*titles));
	size_t n = 0, rows = t->n_cells / t->n_columns, row = 0;

	for (size_t k = 0; k < (t->grouped ? 2 : t->n_columns); k++) {
		if (t->columns[k].title)
			titles[n++] = t->columns[k].title;
	}
	et_html_table_begin(out, titles);
	while (row < rows && (t->grouped || t->whole || row < MOST_ROWS)) {
		if (t->grouped)
			html_group(t, row, &row, out);
		else
			html_row(t, row++, out);
	}
	et_html_table_end(out);
	if (row < rows)
		et_html_element(out, "p class=\"dim\"", "and %zu more rows", rows - row);
}

void et_table_html(struct et_table *t, FILE *out)
{
	if (t->number)
		et_html_element(out, "h3", "Table %s: %s", t->number, t->caption);
	if (t->n_cells)
		html_rows(t, out);
	else
		et_html_element(out, "p class=\"dim\"", "%s", t->empty);
	et_table_free(t);
}

void et_table_csv(struct et_table *t, FILE *out)
{
	const char *between = t->number ? "table," : "";
	char buf[32];

	for (size_t k = 0; k < t->n_columns; k++) {
		if (!t->columns[k].key)
			continue;
		fprintf(out, "%s%s", between, t->columns[k].key);
		between = ",";
	}
	putc('\n', out);
	for (size_t i = 0; i < t->n_cells; i++) {
		const struct et_table_column *c = &t->columns[i % t->n_columns];
		if (i % t->n_columns == 0) {
			fputs(t->number ? t->number : "", out);
			between = t->number ? "," : "";
		}
		if (c->key) {
			fputs(between, out);
			between = ",";
		}
		if (c->key && !c->format)
			et_csv_text(t->cells[i].text, out);
		else if (c->key && isfinite(t->cells[i].number))
			fputs(et_shortest(t->cells[i].number, buf), out);
		if ((i + 1) % t->n_columns == 0)
			putc('\n', out);
	}
	et_table_free(t);
}

void et_table_json_rows(struct et_table *t, const char *key, struct et_json *w)
{
	et_json_array(w, key);
	for (size_t i = 0; i < t->n_cells; i++) {
		const struct et_table_column *c = &t->columns[i % t->n_columns];
		if (i % t->n_columns == 0)
			et_json_flat_object(w, NULL);
		if (c->key && c->format)
			et_json_double(w, c->key, t->cells[i].number);
		else if (c->key)
			et_json_string(w, c->key, t->cells[i].text);
		if ((i + 1) % t->n_columns == 0)
			et_json_end(w);
	}
	et_json_end(w);
	et_table_free(t);
}

void et_table_json(struct et_table *t, struct et_json *w)
{
	et_json_object(w, t->number);
	et_json_string(w, "title", t->caption);
	et_table_json_rows(t, "rows", w);
	et_json_end(w);
}
