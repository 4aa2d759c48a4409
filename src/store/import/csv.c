/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/csv.h"
#include "base/alloc.h"

#include <errno.h>
#include <string.h>

static int fail(struct et_csv *c, const char *problem)
{
	c->problem = problem;
	return -EINVAL;
}

const char *et_csv_cell(const struct et_csv *c, size_t i)
{
	return i < c->n_cells ? c->text + c->cells[i] : "";
}

static void put(struct et_csv *c, char ch)
{
	ET_GROW(c->text, c->n_text, c->cap_text);
	c->text[c->n_text++] = ch;
}

/* Reads a cell in quotes; p is after the opening quote. */
static int read_quoted(struct et_csv *c)
{
	while (c->p < c->end) {
		char ch = *c->p++;
		if (ch == '"') {
			if (c->p >= c->end || *c->p != '"')
				return 0;
			c->p++;
		}
		c->next_line += ch == '\n';
		put(c, ch);
	}
	return fail(c, "a quote is not closed");
}

static bool at_line_end(const struct et_csv *c)
{
	return c->p >= c->end || *c->p == '\n' ||
	       (*c->p == '\r' && c->p + 1 < c->end && c->p[1] == '\n');
}

static int read_cell(struct et_csv *c)
{
	if (c->n_cells >= ET_CSV_MOST_COLUMNS)
		return fail(c, "too many columns");
	size_t begin = c->cells[c->n_cells++] = c->n_text;
	while (c->p < c->end && *c->p == ' ')
		c->p++;
	bool quoted = c->p < c->end && *c->p == '"';
	if (quoted) {
		c->p++;
		int rc = read_quoted(c);
		if (rc)
			return rc;
	}
	while (!at_line_end(c) && *c->p != c->separator)
		put(c, *c->p++);
	if (c->n_text - begin > ET_CSV_MOST_TEXT)
		return fail(c, "a cell is too long");
	/* Blanks around a number or a name mean nothing. */
	while (!quoted && c->n_text > begin && c->text[c->n_text - 1] == ' ')
		c->n_text--;
	put(c, '\0');
	return 0;
}

static void end_line(struct et_csv *c)
{
	while (c->p < c->end && *c->p != '\n')
		c->p++;
	if (c->p < c->end)
		c->p++;
	c->next_line++;
}

/* Is the line at p empty or a comment? */
static bool is_skipped(const struct et_csv *c)
{
	const char *p = c->p;

	while (p < c->end && (*p == ' ' || *p == '\r' || *p == '\t'))
		p++;
	return p >= c->end || *p == '\n' || *p == '#';
}

int et_csv_row(struct et_csv *c)
{
	while (c->p < c->end && is_skipped(c))
		end_line(c);
	c->line = c->next_line;
	if (c->p >= c->end)
		return 0;
	c->n_cells = c->n_text = 0;
	for (;;) {
		int rc = read_cell(c);
		if (rc)
			return rc;
		if (at_line_end(c))
			break;
		c->p++; /* the separator */
	}
	end_line(c);
	return 1;
}

void et_csv_find_separator(struct et_csv *c)
{
	struct et_csv ahead = *c;

	while (ahead.p < ahead.end && is_skipped(&ahead))
		end_line(&ahead);
	c->separator = ',';
	for (const char *p = ahead.p; p < ahead.end && *p != '\n'; p++) {
		if (strchr(",;\t", *p) && *p) {
			c->separator = *p;
			return;
		}
	}
}

void et_csv_free(struct et_csv *c)
{
	free(c->text);
}
