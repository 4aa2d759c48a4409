/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/samplesize/view.h"
#include "base/whole.h"
#include "draw/table.h"
#include "draw/xml.h"
#include "report/warning.h"

#define BOLD "1"
#define FAINT "2"

const char *et_format_outliers(struct et_check_counts c, bool first_check, char buf[64])
{
	if (first_check && c.first + c.second)
		snprintf(buf, 64, "%zu (=%zu+%zu)", c.first + c.second, c.first, c.second);
	else
		snprintf(buf, 64, "%zu", c.first + c.second);
	return buf;
}

static struct et_warnings warnings_of(const struct et_samplesize *z)
{
	struct et_warnings w = { 0 };

	if (z->inflation > 1)
		et_warn(&w, ET_WARN_DEPENDENT_RUNS, et_arg_number(z->autocorrelation),
			et_arg_count(z->n),
			et_arg_count(et_u64(round((double)z->n / z->inflation))));
	return w;
}

static const char *label_of(const struct et_sized *s, size_t m)
{
	return s->by[m].metric ? s->by[m].metric->label : "values";
}

/* Prints the sizes by one metric, and the recommended one. */
static void print_sizes(const struct et_sized *s, size_t m, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NUMBER, "first"),
		ET_COLUMN(NUMBER, "outliers"), ET_COLUMN(NUMBER, "mean"), ET_COLUMN(NUMBER, "sd"),
		ET_COLUMN(NUMBER, "all parts: sd off by"), ET_COLUMN(TEXT, "") };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };
	const struct et_samplesize *z = &s->by[m].size;
	char lead[64], outliers[64], mean[ET_FIGURE], sd[ET_FIGURE], off[ET_FIGURE];

	if (s->by[m].metric)
		fprintf(page->out, "  by %s\n", label_of(s, m));
	for (size_t i = 0; i < z->n_sizes; i++) {
		const struct et_size *size = &z->sizes[i];
		et_table_add(&t, "%zu\t%s\t%s\t%s\t%s\t%s", size->n,
			et_format_outliers(size->outliers, s->first_check, outliers),
			et_format_value(size->mean, s->unit, mean),
			et_format_value(size->sd, s->unit, sd),
			et_format_percent(size->sd_off, off),
			i && size->n == z->recommended ? "← enough" : "");
	}
	et_table_print(&t, page);
	et_page_paragraph(page, 2, " ", NULL,
		"outliers, mean and sd are of the first values; off by: half of all successive "
		"parts of that size have an sd this near to that of the whole",
		FAINT);
	snprintf(lead, sizeof(lead), "  %zu runs:", z->recommended);
	et_page_paragraph(page, 4, lead, BOLD, z->why, NULL);
	fprintf(page->out, "\n");
}

static void print_widths(const struct et_samplesize *z, const struct et_page *page)
{
	char width[ET_FIGURE], level[ET_FIGURE];
	bool dependent = z->inflation > 1;

	fprintf(page->out, "  relative width of the %s interval of the mean\n",
		et_format_percent(z->level, level));
	for (size_t i = 0; i < z->n_widths; i++) {
		et_format_percent(z->widths[i].relative_width, width);
		fprintf(page->out, "%*s%s: ", 12 - et_columns(width), "", width);
		if (isfinite(z->widths[i].n))
			fprintf(page->out, "%.0f runs", z->widths[i].n);
		else
			fprintf(page->out, "no number of runs is enough");
		if (dependent && isfinite(z->widths[i].n))
			fprintf(page->out, " (%.0f if independent)", z->widths[i].independent);
		putc('\n', page->out);
	}
}

void et_samplesize_text(const struct et_sized *s, const struct et_page *page)
{
	et_page_paragraph(page, 0, "", NULL, s->name, BOLD);
	for (size_t m = 0; m < s->n; m++)
		print_sizes(s, m, page);
	print_widths(&s->by[0].size, page);
	struct et_warnings w = warnings_of(&s->by[0].size);
	et_warnings_text(page, 2, &w);
	et_warnings_free(&w);
}

/* --- several series --- */

/* The figure of a cell of the matrix. */
enum figure { OUTLIERS, SD };

/* The position of the metric in the series, or -1. */
static int find_metric(const struct et_sized *s, const struct et_metric_row *metric)
{
	for (size_t m = 0; m < s->n; m++) {
		if (s->by[m].metric == metric)
			return (int)m;
	}
	return -1;
}

static void matrix_row(const struct et_sized *s, const struct et_samplesize *z, enum figure figure,
	struct et_table *t)
{
	et_table_name(t, s->name, NULL);
	for (size_t i = 1; i <= z->n_sizes; i++) {
		const struct et_size *size = &z->sizes[i % z->n_sizes]; /* the whole comes last */
		if (figure == OUTLIERS)
			et_table_add(t, "%zu", size->outliers.first + size->outliers.second);
		else
			et_table_add(t, "%s", et_format_value(size->sd, s->unit, ET_BUF));
	}
}

static void matrix_columns(const struct et_samplesize *z, struct et_table *t)
{
	char n[ET_FIGURE];

	et_table_column(t, ET_TABLE_NAME, "");
	for (size_t i = 1; i <= z->n_sizes; i++) {
		snprintf(n, sizeof(n), "%zu", z->sizes[i % z->n_sizes].n);
		et_table_column(t, ET_TABLE_NUMBER, n);
	}
}

/* A table per length of series, whose sizes are the same; nothing if none has the metric. */
static void print_matrix(const struct et_sized *list, size_t n, const struct et_metric_row *metric,
	enum figure figure, const struct et_page *page)
{
	size_t length = 0;
	struct et_table t = { .indent = 2, .split = true };

	for (size_t i = 0; i < n; i++) {
		int m = find_metric(&list[i], metric);
		if (m < 0)
			continue;
		const struct et_samplesize *z = &list[i].by[m].size;
		if (!length)
			fprintf(page->out, "%s%s%s\n",
				figure == OUTLIERS ? "outliers (check I and check II)"
						   : "sd without outliers",
				metric ? ", " : "", metric ? metric->label : "");
		if (t.n_cells && z->sizes[0].n != length) {
			et_table_print(&t, page);
			t = (struct et_table){ .indent = 2, .split = true };
		}
		if (!t.n_cells)
			matrix_columns(z, &t);
		length = z->sizes[0].n;
		matrix_row(&list[i], z, figure, &t);
	}
	if (!length)
		return;
	et_table_print(&t, page);
	putc('\n', page->out);
}

static void print_recommended(const struct et_sized *list, size_t n, const struct et_page *page)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_sized *s = &list[i];
		ET_AUTO_FREE char *text = NULL;

		for (size_t m = 0; m < s->n; m++)
			et_append(&text, ", ", "%zu runs%s%s", s->by[m].size.recommended,
				s->by[m].metric ? " by " : "",
				s->by[m].metric ? label_of(s, m) : "");
		ET_AUTO_FREE char *clean = et_clean(s->name, "");
		ET_AUTO_FREE char *lead = et_asprintf("  %s:", clean);
		et_page_paragraph(page, 4, lead, NULL, text, NULL);
		most = s->by[0].size.recommended > most ? s->by[0].size.recommended : most;
	}
	ET_AUTO_FREE char *lead = et_asprintf("%zu runs", most);
	et_page_paragraph(page, 2, lead, BOLD,
		"represent each of them by the time that is judged; -v shows why", NULL);
}

void et_samplesize_matrix(const struct et_sized *list, size_t n, const struct et_page *page)
{
	const struct et_metric_row *const metrics[] = { &et_metrics[ET_METRIC_CPU],
		&et_metrics[ET_METRIC_ELAPSED], NULL };

	for (int figure = OUTLIERS; figure <= SD; figure++) {
		for (size_t m = 0; m < ET_LENGTH(metrics); m++)
			print_matrix(list, n, metrics[m], (enum figure)figure, page);
	}
	print_recommended(list, n, page);
}

/* --- CSV and JSON --- */

static void csv_size(
	const struct et_sized *s, size_t m, const struct et_size *z, bool recommended, FILE *out)
{
	et_csv_text(s->name, out);
	fprintf(out, ",%s,%s,%zu,%zu,%zu,%zu,%.17g,%.17g,%.6g,%s\n",
		s->by[m].metric ? s->by[m].metric->name : "",
		et_unit_names[s->unit] ? et_unit_names[s->unit] : "", z->n,
		z->outliers.first + z->outliers.second, z->outliers.first, z->outliers.second,
		z->mean, z->sd, z->sd_off, recommended ? "true" : "false");
}

void et_samplesize_csv(const struct et_sized *list, size_t n, FILE *out)
{
	fprintf(out, "series,metric,unit,n,outliers,outliers_first_check,outliers_second_check,"
		     "mean,sd,sd_off,recommended\n");
	for (size_t i = 0; i < n; i++) {
		for (size_t m = 0; m < list[i].n; m++) {
			const struct et_samplesize *z = &list[i].by[m].size;
			for (size_t k = 0; k < z->n_sizes; k++)
				csv_size(&list[i], m, &z->sizes[k], z->sizes[k].n == z->recommended,
					out);
		}
	}
}

static double outliers(const void *size)
{
	const struct et_size *z = size;

	return (double)(z->outliers.first + z->outliers.second);
}

static const struct et_field sizes_fields[] = {
	ET_KEY_ROOM(et_samplesize, "sizes", sizes, n_sizes,
		ET_TABLE(ET_KEYS(et_size, n), ET_KEY_OF("outliers", outliers),
			ET_KEY(et_size, "outliers_first_check", outliers.first),
			ET_KEY(et_size, "outliers_second_check", outliers.second),
			ET_KEYS(et_size, sd, mean, parts, sd_off),
			ET_KEY(et_size, "outlier_share", share), ET_KEYS(et_size, p, represents)),
		.flat = true),
	ET_KEYS(et_samplesize, recommended, why),
	{ 0 },
};

static const struct et_field width_fields[] = {
	ET_KEYS(et_samplesize, level, inflation),
	ET_KEY_ROOM(et_samplesize, "for_width", widths, n_widths,
		ET_TABLE(ET_KEYS(et_runs_for_width, relative_width, n),
			ET_KEY(et_runs_for_width, "n_independent", independent)),
		.flat = true),
	{ 0 },
};

void et_samplesize_json(struct et_json *w, const struct et_sized *s)
{
	const struct et_samplesize *z = &s->by[0].size;

	et_json_object(w, NULL);
	et_json_string(w, "name", s->name);
	et_json_string(w, "unit", et_unit_names[s->unit]);
	et_json_string(w, "metric", s->by[0].metric ? s->by[0].metric->name : NULL);
	et_json_bool(w, "first_check", s->first_check);
	et_fields_write(w, sizes_fields, z);
	if (s->n > 1) {
		et_json_object(w, "by_other_metric");
		et_json_string(w, "metric", s->by[1].metric->name);
		et_fields_write(w, sizes_fields, &s->by[1].size);
		et_json_end(w);
	} else {
		et_json_null(w, "by_other_metric");
	}
	et_fields_write(w, width_fields, z);
	struct et_warnings warnings = warnings_of(z);
	et_warnings_json(w, &warnings);
	et_warnings_free(&warnings);
	et_json_end(w);
}
