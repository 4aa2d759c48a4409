/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/points.h"
#include "base/lines.h"
#include "base/parse.h"
#include "store/import/csv.h"
#include "store/import/importer.h"

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

/* Finds a column by its heading or its number. */
static int find_column(struct reader *r, const char *wanted, bool heading, size_t *at)
{
	char names[ET_CSV_NAMES];

	if (et_csv_find(&r->csv, wanted, heading, at))
		return 0;
	return et_hint(r->in.err, et_csv_fail(&r->csv, "there is no column '%.60s'", wanted),
		"name one of its columns, or its number: %s", et_csv_names(&r->csv, names));
}

/* Decides by the first row, which has been read, which columns are used; *heading: it has none. */
static int choose_columns(struct reader *r, bool *heading)
{
	const struct et_points_options *o = r->options;
	int rc = 0;

	*heading = true;
	for (size_t i = 0; i < r->csv.n_cells; i++)
		*heading = *heading && !et_csv_is_number(et_csv_cell(&r->csv, i));
	if (r->csv.n_cells < 2)
		return et_hint(r->in.err,
			et_import_fail(&r->in, NULL,
				"line %zu has only one column, but a size and a time are needed",
				r->csv.line),
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
			  : *heading    ? et_csv_unit_ns(et_csv_cell(&r->csv, r->y))
					: 1e9;
	return rc;
}

static int read_cell(struct reader *r, size_t at, const char *what, double *out)
{
	const char *text = et_csv_cell(&r->csv, at);

	if (at >= r->csv.n_cells)
		return et_import_fail(&r->in, NULL, "line %zu has only %zu column%s", r->csv.line,
			r->csv.n_cells, r->csv.n_cells == 1 ? "" : "s");
	if (et_parse_double("", text, out, NULL))
		return et_csv_fail(&r->csv, "the %s '%.40s%s' is not a number", what, text,
			strlen(text) > 40 ? "…" : "");
	if (r->options->any || (*out >= ET_POINTS_LEAST && *out <= ET_POINTS_MOST))
		return 0;
	if (*out > 0)
		return et_csv_fail(&r->csv, "the %s %.40s is not between %g and %g", what, text,
			ET_POINTS_LEAST, ET_POINTS_MOST);
	return et_hint(r->in.err, et_csv_fail(&r->csv, "the %s %.40s is not above 0", what, text),
		"remove the line, or fit a straight line through any numbers with --line");
}

static int read_rows(struct reader *r)
{
	bool heading = false;
	double x, y;
	int rc = et_csv_next(&r->csv);

	if (rc > 0)
		rc = choose_columns(r, &heading);
	if (rc)
		return rc;
	for (rc = heading ? et_csv_next(&r->csv) : (int)(r->csv.n_cells > 0); rc > 0;
		rc = et_csv_next(&r->csv)) {
		if ((rc = read_cell(r, r->x, "size", &x)) || (rc = read_cell(r, r->y, "time", &y)))
			return rc;
		if (r->points->n >= MOST_POINTS)
			return et_import_fail(&r->in, NULL, "more than %zu rows", MOST_POINTS);
		et_points_append(r->points, x, y * r->unit);
	}
	return rc;
}

/* Reads the whole stream as a record. */
static int read_record(struct reader *r, struct et_experiment **experiment)
{
	const struct et_import_options o = { .name = r->options->name };
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
		return read_record(r, experiment);
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
	r->csv.in = &r->in;
	r->csv.lines = &r->lines;
	r->csv.blanks = true;
	int rc = read_any(r, out, experiment);
	et_lines_free(&r->lines);
	et_csv_free(&r->csv);
	free(r);
	return rc;
}
