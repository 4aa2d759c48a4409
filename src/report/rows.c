/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rows.h"
#include "base/alloc.h"

#include <string.h>

enum { MOST_COLUMNS = 24 };

#define NEXT '\t' /* begins every column except the first */

const struct et_page *et_rows_begin(struct et_rows *r, const struct et_page *given)
{
	*r = (struct et_rows){ .page = *given, .given = given };
	r->page.out = et_memstream_open(&r->stream);
	return &r->page;
}

void et_right(const struct et_page *page, int width, const char *text)
{
	int gap = width - et_columns(text);

	fprintf(page->out, "%*s%s", gap > 0 ? gap : 0, "", text);
}

void et_cell(const struct et_page *page, int width, const char *text)
{
	putc(NEXT, page->out);
	et_right(page, width, text);
}

/* The width of a cell in columns, without its escape sequences for colours. */
static int columns_of(const char *cell, size_t n)
{
	ET_AUTO_FREE char *plain = et_strndup(cell, n);
	char *to = plain;

	for (const char *from = plain; *from;) {
		if (*from == '\033')
			from += strcspn(from, "m") + 1;
		else
			*to++ = *from++;
	}
	*to = '\0';
	return et_columns(plain);
}

/* Sets the width of each column and returns their number; lines without cells do not count. */
static size_t measure(const char *text, int widths[MOST_COLUMNS])
{
	size_t n = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n"), column = 0;
		if (!memchr(line, NEXT, length))
			continue;
		for (const char *at = line; at <= line + length && column < MOST_COLUMNS;) {
			size_t cell = strcspn(at, "\t\n");
			int width = columns_of(at, cell);
			if (column == n)
				widths[n++] = 0;
			widths[column] = width > widths[column] ? width : widths[column];
			column++;
			at += cell + 1;
		}
	}
	return n;
}

/* Prints the first cell of a line and those in columns from … to - 1, without trailing spaces. */
static void print_line(
	const struct et_page *page, const char *line, size_t length, size_t from, size_t to)
{
	ET_AUTO_FREE char *part = et_alloc(length + 1);
	size_t n = 0, column = 0;

	for (const char *c = line; c < line + length; c++) {
		if (*c == NEXT)
			column++;
		else if (!column || (column >= from && column < to))
			part[n++] = *c;
	}
	while (n && part[n - 1] == ' ')
		n--;
	fprintf(page->out, "%.*s\n", (int)n, part);
}

static void print_part(const struct et_page *page, const char *text, size_t from, size_t to)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n");
		ET_AUTO_FREE char *note = et_strndup(line, length);
		if (strchr(note, NEXT))
			print_line(page, line, length, from, to);
		else if (from == 1) /* not a row of the table: printed once */
			et_page_paragraph(page, (int)strspn(note, " "), "", NULL,
				note + strspn(note, " "), NULL);
	}
}

void et_rows_end(struct et_rows *r)
{
	int widths[MOST_COLUMNS];

	ET_AUTO_FREE char *text = et_memstream_close(&r->stream);
	size_t n = measure(text, widths);
	for (size_t from = 1, to; from < n; from = to) {
		int room = r->given->width - widths[0];
		for (to = from; to < n && (to == from || widths[to] <= room); to++)
			room -= widths[to];
		print_part(r->given, text, from, to);
		if (to < n)
			putc('\n', r->given->out);
	}
}
