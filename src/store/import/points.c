/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/points.h"
#include "base/alloc.h"
#include "base/lines.h"
#include "base/parse.h"
#include "store/import/csv.h"
#include "store/import/importer.h"

#include <errno.h>
#include <string.h>

enum { LONGEST_LINE = 1 << 20 };
#define MOST_POINTS ((size_t)1 << 26)

struct reader {
	const struct et_points_options *options;
	struct et_importer in; /* for its errors */
	struct et_lines lines;
	struct et_csv csv;
	size_t x, y; /* their columns, from 0 */
	double unit;
	struct et_points *points;
};

static bool is_number(const char *text)
{
	double value;

	return et_parse_double("", text, &value, NULL) == 0;
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

/* The first line decides what separates the columns: a comma, a semicolon, or blanks. */
static int next_row(struct reader *r)
{
	size_t length;
	char *line;
	int rc = et_import_next_line(&r->in, &r->lines, &line, &length);

	if (rc <= 0)
		return rc;
	if (!r->csv.separator)
		r->csv.separator = memchr(line, ',', length)   ? ','
				   : memchr(line, ';', length) ? ';'
							       : '\t';
	if (r->csv.separator == '\t')
		length = join_blanks(line, length);
	r->csv.p = line;
	r->csv.end = line + length;
	rc = et_csv_row(&r->csv);
	return rc < 0 ? et_import_fail(
				&r->in, NULL, "line %zu: %s", r->lines.number, r->csv.problem)
		      : rc;
}

/* Finds a column by its heading or its number. */
static int find_column(struct reader *r, const char *wanted, bool heading, size_t *at)
{
	char names[300] = "";
	uint64_t number;
	size_t n = 0;

	for (size_t i = 0; heading && i < r->csv.n_cells; i++) {
		if (!strcmp(et_csv_cell(&r->csv, i), wanted)) {
			*at = i;
			return 0;
		}
	}
	if (et_parse_u64("", wanted, 1, r->csv.n_cells, &number, NULL) == 0) {
		*at = number - 1;
		return 0;
	}
	for (size_t i = 0; i < r->csv.n_cells && n < sizeof(names) - 1; i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.40s", i ? ", " : "",
			et_csv_cell(&r->csv, i));
	return et_hint(r->in.err,
		et_import_fail(&r->in, NULL, "line %zu: there is no column '%.60s'",
			r->lines.number, wanted),
		"name one of its columns, or its number: %s", names);
}

static double unit_of(const char *heading)
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

/* Decides by the first row, which has been read, which columns are used; *heading: it has none. */
static int choose_columns(struct reader *r, bool *heading)
{
	const struct et_points_options *o = r->options;
	int rc = 0;

	*heading = true;
	for (size_t i = 0; i < r->csv.n_cells; i++)
		*heading = *heading && !is_number(et_csv_cell(&r->csv, i));
	if (r->csv.n_cells < 2)
		return et_hint(r->in.err,
			et_import_fail(&r->in, NULL,
				"line %zu has only one column, but a size and a time are needed",
				r->lines.number),
			"write one run per line: its size and its time, such as '1000 0.012'");
	if (o->x_column)
		rc = find_column(r, o->x_column, *heading, &r->x);
	r->y = o->x_column && r->x == 1 ? 0 : 1;
	if (rc == 0 && o->y_column)
		rc = find_column(r, o->y_column, *heading, &r->y);
	if (rc == 0 && r->x == r->y)
		rc = et_hint(r->in.err,
			et_import_fail(&r->in, NULL, "sizes and times are the same column"),
			"name two columns: --size NAME|N --column NAME|N");
	if (rc == 0)
		r->unit = o->y_unit > 0 ? o->y_unit
			  : *heading    ? unit_of(et_csv_cell(&r->csv, r->y))
					: 1e9;
	return rc;
}

static int read_cell(struct reader *r, size_t at, const char *what, double *out)
{
	const char *text = et_csv_cell(&r->csv, at);

	if (at >= r->csv.n_cells)
		return et_import_fail(&r->in, NULL, "line %zu has only %zu column%s",
			r->lines.number, r->csv.n_cells, r->csv.n_cells == 1 ? "" : "s");
	if (et_parse_double("", text, out, NULL))
		return et_import_fail(&r->in, NULL, "line %zu: the %s '%.40s%s' is not a number",
			r->lines.number, what, text, strlen(text) > 40 ? "…" : "");
	if (r->options->any || (*out >= ET_POINTS_LEAST && *out <= ET_POINTS_MOST))
		return 0;
	if (*out > 0)
		return et_import_fail(&r->in, NULL,
			"line %zu: the %s %.40s is not between %g and %g", r->lines.number, what,
			text, ET_POINTS_LEAST, ET_POINTS_MOST);
	return et_hint(r->in.err,
		et_import_fail(&r->in, NULL, "line %zu: the %s %.40s is not above 0",
			r->lines.number, what, text),
		"remove the line, or fit a straight line through any numbers with --line");
}

static int read_rows(struct reader *r)
{
	bool heading = false;
	double x, y;
	int rc = next_row(r);

	if (rc > 0)
		rc = choose_columns(r, &heading);
	if (rc)
		return rc;
	for (rc = heading ? next_row(r) : (int)(r->csv.n_cells > 0); rc > 0; rc = next_row(r)) {
		if ((rc = read_cell(r, r->x, "size", &x)) || (rc = read_cell(r, r->y, "time", &y)))
			return rc;
		if (r->points->n >= MOST_POINTS)
			return et_import_fail(&r->in, NULL, "more than %zu rows", MOST_POINTS);
		et_points_append(r->points, x, y * r->unit);
	}
	return rc;
}

/* Reads the whole stream as a record. */
static int read_record(
	struct reader *r, enum et_import_format format, struct et_experiment **experiment)
{
	const struct et_import_options o = { .name = r->options->name, .format = format };
	ET_AUTO_FREE char *data = NULL;
	size_t size;
	int rc = et_lines_rest(&r->lines, ET_IMPORT_MOST_BYTES, &data, &size);

	if (rc == -EFBIG)
		return et_import_fail(
			&r->in, NULL, "larger than %zu MiB", ET_IMPORT_MOST_BYTES >> 20);
	if (rc)
		return et_fail_file(r->in.err, -rc, ET_EXIT_USAGE, r->options->name);
	if (r->options->x_column || r->options->y_column)
		return et_hint(r->in.err,
			et_import_fail(&r->in, NULL,
				"--size and --column are for tables, and this is a record"),
			"omit them; --parameter chooses what the size is");
	return et_import(data, size, &o, experiment, r->in.err);
}

static int read_any(struct reader *r, struct et_points_set *out, struct et_experiment **experiment)
{
	bool json;
	int rc = et_lines_begin(&r->lines, &json);

	if (rc)
		return et_fail_file(r->in.err, -rc, ET_EXIT_USAGE, r->options->name);
	if (json)
		return read_record(r, ET_IMPORT_AUTO, experiment);
	r->points = et_points_add(out, r->options->name);
	rc = read_rows(r);
	if (rc == 0 && !r->points->n)
		rc = et_import_fail(&r->in, NULL, "it has no numbers");
	return rc;
}

int et_points_read(FILE *in, const struct et_points_options *o, struct et_points_set *out,
	struct et_experiment **experiment, struct et_error *err)
{
	const struct et_import_options names = { .name = o->name };
	struct reader *r = et_calloc(1, sizeof(*r)); /* too large for the stack */

	r->options = o;
	r->in = (struct et_importer){ .options = &names, .err = err };
	r->lines = (struct et_lines){ .in = in, .longest = LONGEST_LINE };
	int rc = read_any(r, out, experiment);
	et_lines_free(&r->lines);
	et_csv_free(&r->csv);
	free(r);
	return rc;
}
