/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/series.h"
#include "base/lines.h"
#include "base/parse.h"
#include "store/import/csv.h"
#include "store/import/importer.h"

struct reader {
	const struct et_series_options *options;
	struct et_importer in; /* for its errors and its typed values of JSON */
	struct et_lines lines;
	struct et_series_set *out;
};

/* --- numbers --- */

static const char *trim(char *text, size_t length)
{
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		text[--length] = '\0';
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

static int fail_number(struct reader *r, const char *text)
{
	char *end;
	double value = strtod(text, &end);
	bool word = strpbrk(text, "nN") || strpbrk(text, "xX");
	const char *why = "is not a number";

	if (end != text && !*end && (isinf(value) || value == 0) && !word)
		why = "is out of range";
	else if (end != text && !*end && !isfinite(value))
		why = "is not finite";
	else if (!*text)
		why = "is empty, but must be a number";
	return et_import_fail(&r->in, NULL, "line %zu: '%.40s%s' %s", r->lines.number, text,
		strlen(text) > 40 ? "…" : "", why);
}

static int append(struct reader *r, struct et_series *s, const char *text)
{
	double value;

	if (et_parse_double("", text, &value, NULL))
		return fail_number(r, text);
	if (s->n >= ET_SERIES_MOST)
		return et_import_fail(&r->in, NULL, "more than %zu numbers", ET_SERIES_MOST);
	et_series_append(s, value);
	return 0;
}

static int read_numbers(struct reader *r)
{
	struct et_series *s = et_series_add(r->out, r->options->name, ET_UNIT_NONE);
	size_t length;
	char *line;
	int rc;

	while ((rc = et_import_next_line(&r->in, &r->lines, &line, &length)) > 0) {
		const char *text = trim(line, length);
		rc = append(r, s, text);
		if (rc && et_csv_has_decimal_comma(text))
			return et_hint(r->in.err, rc,
				"write a decimal point instead of the comma (tr , .), or name the "
				"column of a CSV file with --column NAME|N");
		if (rc && strpbrk(text, ",;\t "))
			return et_hint(r->in.err, rc,
				"name the column of a CSV file with --column NAME|N");
		if (rc)
			return rc;
	}
	return rc;
}

/* --- a column --- */

/* Finds the column; *heading: is the first row, which has been read, a heading? */
static int find_column(struct reader *r, const struct et_csv *csv, size_t *at, bool *heading)
{
	const char *wanted = r->options->column;
	char names[ET_CSV_NAMES];

	if (!et_csv_find(csv, wanted, !et_csv_is_number(wanted), at))
		return et_hint(r->in.err, et_csv_fail(csv, "there is no column '%.60s'", wanted),
			"name one of its columns: %s", et_csv_names(csv, names));
	*heading = !et_csv_is_number(et_csv_cell(csv, *at));
	return 0;
}

static enum et_unit unit_of(const char *heading)
{
	size_t n = strlen(heading);

	return n > 3 && !strcmp(heading + n - 3, "_ns")  ? ET_UNIT_NS
	       : n > 2 && !strcmp(heading + n - 2, "_s") ? ET_UNIT_S
							 : ET_UNIT_NONE;
}

static int read_column(struct reader *r, struct et_csv *csv)
{
	struct et_series *s = et_series_add(r->out, r->options->name, ET_UNIT_NONE);
	bool heading = false;
	size_t at = 0;
	int rc = et_csv_next(csv);

	if (rc > 0)
		rc = find_column(r, csv, &at, &heading);
	if (rc)
		return rc;
	if (heading)
		s->unit = unit_of(et_csv_cell(csv, at));
	for (rc = heading ? et_csv_next(csv) : (int)(csv->n_cells > 0); rc > 0;
		rc = et_csv_next(csv)) {
		if (at >= csv->n_cells)
			return et_import_fail(&r->in, NULL, "line %zu has only %zu columns",
				csv->line, csv->n_cells);
		if ((rc = append(r, s, et_csv_cell(csv, at))))
			return rc;
	}
	return rc;
}

/* --- records --- */

static void read_result(struct reader *r, const json_t *result, const struct et_import_place *at)
{
	ET_AUTO_LIST struct et_list l = et_list_of(&r->in, result, "times", at);
	const char *name = et_read_text(&r->in, result, "command", at);
	const json_t *time;

	if (!r->in.failed && !l.n)
		et_hint(r->in.err, et_import_fail(&r->in, at, "has no times of single runs"),
			"use a file that hyperfine --export-json has written");
	if (r->in.failed)
		return;
	struct et_series *s =
		et_series_add(r->out, name && *name ? name : r->options->name, ET_UNIT_S);
	while ((time = et_list_next(&l))) {
		if (!json_is_number(time))
			et_import_fail(&r->in, &l.here, "is not a number");
		et_series_append(s, json_number_value(time));
	}
}

/* Takes the seconds unchanged, whereas import rounds them to nanoseconds. */
static int read_hyperfine(struct reader *r, const json_t *root)
{
	ET_AUTO_LIST struct et_list l = et_objects_of(&r->in, root, "results", NULL);
	const json_t *result;

	if (!r->in.failed && r->options->cpu_time)
		return et_hint(r->in.err,
			et_import_fail(&r->in, NULL, "hyperfine records no CPU times of runs"),
			"use --metric elapsed for the elapsed times");
	while ((result = et_list_next(&l)))
		read_result(r, result, &l.here);
	return r->in.failed;
}

static int read_experiment(
	struct reader *r, const char *data, size_t size, enum et_import_format format)
{
	const struct et_import_options o = { .name = r->options->name, .format = format };
	struct et_experiment *e;
	int rc = et_import(data, size, &o, &e, r->in.err);

	if (rc == 0)
		et_series_add_experiment(r->out, e);
	return rc;
}

static int read_json(struct reader *r, const char *data, size_t size)
{
	enum et_import_format format = ET_IMPORT_AUTO;

	if (r->options->column)
		return et_import_fail(&r->in, NULL, "--column is for CSV, and this is JSON");
	int rc = et_import_load(&r->in, data, size, &format);
	if (!rc && format == ET_IMPORT_HYPERFINE)
		rc = read_hyperfine(r, r->in.outline.root);
	et_outline_free(&r->in);
	return rc || format == ET_IMPORT_HYPERFINE ? rc : read_experiment(r, data, size, format);
}

static int read_record(struct reader *r, bool json)
{
	ET_AUTO_FREE char *data = NULL;
	size_t size;
	int rc = et_lines_rest(&r->lines, ET_IMPORT_MOST_BYTES, &data, &size);

	if (rc == -EFBIG)
		return et_hint(r->in.err,
			et_import_fail(
				&r->in, NULL, "larger than %zu MiB", ET_IMPORT_MOST_BYTES >> 20),
			"use a file with one number per line, which has no such limit");
	if (rc)
		return et_fail_file(r->in.err, -rc, ET_EXIT_USAGE, r->options->name);
	return json ? read_json(r, data, size) : read_experiment(r, data, size, ET_IMPORT_CSV);
}

/* --- the format --- */

/* Without --column, text is numbers unless its first line is the heading of a record. */
static int read_text(struct reader *r)
{
	size_t length;
	char *line;
	double value;
	int rc = et_import_next_line(&r->in, &r->lines, &line, &length);

	if (rc <= 0)
		return rc;
	ET_AUTO_FREE char *copy = et_strndup(line, length);
	const char *text = trim(copy, length);
	bool record = et_parse_double("", text, &value, NULL) && strpbrk(text, ",;\t") &&
		      (strstr(text, "et_ns") || strstr(text, "pt_ns"));
	et_lines_back(&r->lines);
	return record ? read_record(r, false) : read_numbers(r);
}

static int read_any(struct reader *r)
{
	bool json;
	int rc = et_lines_begin(&r->lines, &json);

	if (rc)
		return et_fail_file(r->in.err, -rc, ET_EXIT_USAGE, r->options->name);
	if (json)
		return read_record(r, true);
	if (!r->options->column)
		return read_text(r);
	struct et_csv *csv = et_calloc(1, sizeof(*csv));
	csv->in = &r->in;
	csv->lines = &r->lines;
	r->lines.quotes = true;
	rc = read_column(r, csv);
	et_csv_free(csv);
	free(csv);
	return rc;
}

int et_series_read(FILE *in, const struct et_series_options *o, struct et_series_set *out,
	struct et_error *err)
{
	const struct et_import_options names = { .name = o->name };
	struct reader r = { .options = o,
		.in = { .options = &names, .err = err },
		.lines = { .in = in, .longest = ET_SERIES_LONGEST_LINE },
		.out = out };
	size_t before = out->n;

	int rc = read_any(&r);
	et_lines_free(&r.lines);
	if (rc)
		return rc;
	for (size_t i = before; i < out->n; i++)
		out->list[i].origin = o->name;
	if (out->n == before || (out->n == before + 1 && !out->list[before].n))
		return et_import_fail(&r.in, NULL, "it has no numbers");
	return 0;
}
