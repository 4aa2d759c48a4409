/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/csv.h"
#include "base/parse.h"

#include <ctype.h>

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
	return et_csv_fail(c, "a quote is not closed");
}

static bool at_line_end(const struct et_csv *c)
{
	return c->p >= c->end || *c->p == '\n' ||
	       (*c->p == '\r' && c->p + 1 < c->end && c->p[1] == '\n');
}

static int read_cell(struct et_csv *c)
{
	if (c->n_cells >= ET_CSV_MOST_COLUMNS)
		return et_csv_fail(c, "too many columns");
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
		return et_csv_fail(c, "a cell is too long");
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

/* Reads the next row. Returns as et_csv_next does. */
static int read_row(struct et_csv *c)
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

static void find_separator(struct et_csv *c)
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

int et_csv_open(struct et_csv *c, struct et_importer *in, const char *data, size_t size)
{
	c->in = in;
	c->p = data;
	c->end = data + size;
	c->next_line = 1;
	if (size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3)) /* a byte order mark */
		c->p += 3;
	find_separator(c);
	return memchr(data, '\0', size)
		       ? et_import_fail(in, NULL, "it holds a NUL byte: this is not text")
		       : 0;
}

/* Makes one tab of each run of blanks, and removes those at the ends. */
static size_t join_blanks(char *line, size_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++) {
		bool blank = line[i] == ' ' || line[i] == '\t';

		if (!blank)
			line[n++] = line[i];
		else if (n && line[n - 1] != '\t')
			line[n++] = '\t';
	}
	while (n && line[n - 1] == '\t')
		n--;
	return n;
}

static int next_line(struct et_csv *c)
{
	size_t length;
	char *line;
	int rc = et_import_next_line(c->in, c->lines, &line, &length);

	if (rc <= 0)
		return rc;
	c->p = line;
	c->end = line + length;
	c->next_line = c->lines->number;
	if (!c->separator && c->blanks)
		c->separator = memchr(line, ',', length)   ? ','
			       : memchr(line, ';', length) ? ';'
							   : '\t';
	else if (!c->separator)
		find_separator(c);
	if (c->blanks && c->separator == '\t')
		c->end = line + join_blanks(line, length);
	return 1;
}

int et_csv_next(struct et_csv *c)
{
	int rc = c->lines ? next_line(c) : 1;

	return rc <= 0 ? rc : read_row(c);
}

int et_csv_fail(const struct et_csv *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	return et_import_fail(c->in, NULL, "line %zu: %s", c->line, text);
}

void et_csv_free(struct et_csv *c)
{
	free(c->text);
}

/* --- columns --- */

bool et_csv_find(const struct et_csv *c, const char *wanted, bool heading, size_t *out)
{
	uint64_t number;

	for (size_t i = 0; heading && i < c->n_cells; i++) {
		if (!strcmp(et_csv_cell(c, i), wanted)) {
			*out = i;
			return true;
		}
	}
	if (et_parse_u64("", wanted, 1, c->n_cells, &number, NULL))
		return false;
	*out = number - 1;
	return true;
}

const char *et_csv_names(const struct et_csv *c, char names[ET_CSV_NAMES])
{
	size_t n = 0;

	names[0] = '\0';
	for (size_t i = 0; i < c->n_cells && n < ET_CSV_NAMES - 1; i++)
		n += (size_t)snprintf(
			names + n, ET_CSV_NAMES - n, "%s%.40s", i ? ", " : "", et_csv_cell(c, i));
	return names;
}

bool et_csv_is_number(const char *text)
{
	double value;

	return et_parse_double("", text, &value, NULL) == 0;
}

double et_csv_unit_ns(const char *heading)
{
	static const struct {
		const char *end;
		double ns;
	} units[] = { { "_ns", 1 }, { "_us", 1e3 }, { "_ms", 1e6 } };
	size_t n = strlen(heading);

	for (size_t i = 0; i < ET_LENGTH(units); i++) {
		if (n > 3 && !strcmp(heading + n - 3, units[i].end))
			return units[i].ns;
	}
	return 1e9;
}

const char *et_csv_plain(const char *text)
{
	return text[0] == '\'' && text[1] && strchr("=+-@", text[1]) ? text + 1 : text;
}

bool et_csv_has_decimal_comma(const char *text)
{
	const char *comma = strchr(text, ',');
	size_t before = strspn(text, "+-0123456789");

	return comma && before && text + before == comma && isdigit((unsigned char)comma[1]) &&
	       !comma[1 + strspn(comma + 1, "0123456789eE+-")];
}
