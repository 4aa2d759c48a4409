/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/samplesize.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "report/csv.h"
#include "report/rows.h"
#include "report/units.h"
#include "report/warning.h"

#include <math.h>
#include <string.h>

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

static void size_row(const struct et_sized *s, const struct et_size *z, bool recommended,
	const struct et_page *page)
{
	char buf[ET_FIGURE], outliers[64];

	fprintf(page->out, "  %6zu", z->n);
	et_cell(page, 12, et_format_outliers(z->outliers, s->first_check, outliers));
	et_cell(page, 12, et_format_value(z->mean, s->unit, buf));
	et_cell(page, 12, et_format_value(z->sd, s->unit, buf));
	et_cell(page, 22, et_format_percent(z->sd_off, buf));
	fprintf(page->out, "%s\n", recommended ? "  ← enough" : "");
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
	const struct et_samplesize *z = &s->by[m].size;
	char lead[64];
	struct et_rows rows;

	if (s->by[m].metric)
		fprintf(page->out, "  by %s\n", label_of(s, m));
	const struct et_page *table = et_rows_begin(&rows, page);
	fprintf(table->out, "  %6s\t%12s\t%12s\t%12s\t%22s\n", "first", "outliers", "mean", "sd",
		"all parts: sd off by");
	for (size_t i = 0; i < z->n_sizes; i++)
		size_row(s, &z->sizes[i], i > 0 && z->sizes[i].n == z->recommended, table);
	et_rows_end(&rows);
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
		et_right(page, 12, et_format_percent(z->widths[i].relative_width, width));
		if (isfinite(z->widths[i].n))
			fprintf(page->out, ": %.0f runs", z->widths[i].n);
		else
			fprintf(page->out, ": no number of runs is enough");
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

static void matrix_row(const struct et_sized *s, const struct et_metric_row *metric,
	enum figure figure, int name_width, const struct et_page *page)
{
	const struct et_samplesize *z = &s->by[find_metric(s, metric)].size;
	ET_AUTO_FREE char *clean = et_clean(s->name, "");
	ET_AUTO_FREE char *name = et_shorten(clean, name_width);
	char buf[ET_FIGURE];

	fprintf(page->out, "  %s%*s", name, name_width - et_columns(name), "");
	for (size_t i = 1; i <= z->n_sizes; i++) {
		const struct et_size *size = &z->sizes[i % z->n_sizes]; /* the whole comes last */
		if (figure == OUTLIERS)
			snprintf(buf, sizeof(buf), "%zu",
				size->outliers.first + size->outliers.second);
		else
			et_format_value(size->sd, s->unit, buf);
		et_cell(page, figure == OUTLIERS ? 7 : 9, buf);
	}
	putc('\n', page->out);
}

static void matrix_head(const struct et_samplesize *z, enum figure figure, int name_width,
	const struct et_page *page)
{
	char buf[ET_FIGURE];

	fprintf(page->out, "  %*s", name_width, "");
	for (size_t i = 1; i <= z->n_sizes; i++) {
		snprintf(buf, sizeof(buf), "%zu", z->sizes[i % z->n_sizes].n);
		et_cell(page, figure == OUTLIERS ? 7 : 9, buf);
	}
	putc('\n', page->out);
}

static int widest_name(const struct et_sized *list, size_t n, int most)
{
	int widest = 0;

	for (size_t i = 0; i < n; i++) {
		ET_AUTO_FREE char *clean = et_clean(list[i].name, "");
		int width = et_columns(clean);
		widest = width > widest ? width : widest;
	}
	return widest < most ? widest : most;
}

/* Series of equal length have the same sizes; a new length begins with a line of its sizes. */
static void print_matrix(const struct et_sized *list, size_t n, const struct et_metric_row *metric,
	enum figure figure, const struct et_page *page)
{
	int name_width = widest_name(list, n, 14);
	size_t length = 0;
	struct et_rows rows;
	const struct et_page *table = NULL;

	fprintf(page->out, "%s%s%s\n",
		figure == OUTLIERS ? "outliers (check I and check II)" : "sd without outliers",
		metric ? ", " : "", metric ? metric->label : "");
	for (size_t i = 0; i < n; i++) {
		int m = find_metric(&list[i], metric);
		if (m < 0)
			continue;
		const struct et_samplesize *z = &list[i].by[m].size;
		if (!table || z->sizes[0].n != length) {
			if (table)
				et_rows_end(&rows);
			table = et_rows_begin(&rows, page);
			length = z->sizes[0].n;
			matrix_head(z, figure, name_width, table);
		}
		matrix_row(&list[i], metric, figure, name_width, table);
	}
	if (table)
		et_rows_end(&rows);
	putc('\n', page->out);
}

static bool has_metric(const struct et_sized *list, size_t n, const struct et_metric_row *metric)
{
	for (size_t i = 0; i < n; i++) {
		if (find_metric(&list[i], metric) >= 0)
			return true;
	}
	return false;
}

static void print_recommended(const struct et_sized *list, size_t n, const struct et_page *page)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_sized *s = &list[i];
		char *text = NULL;

		for (size_t m = 0; m < s->n; m++)
			et_append(&text, ", ", "%zu runs%s%s", s->by[m].size.recommended,
				s->by[m].metric ? " by " : "",
				s->by[m].metric ? label_of(s, m) : "");
		ET_AUTO_FREE char *clean = et_clean(s->name, "");
		ET_AUTO_FREE char *lead = et_asprintf("  %s:", clean);
		et_page_paragraph(page, 4, lead, NULL, text, NULL);
		free(text);
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
		for (size_t m = 0; m < ET_LENGTH(metrics); m++) {
			if (has_metric(list, n, metrics[m]))
				print_matrix(list, n, metrics[m], (enum figure)figure, page);
		}
	}
	print_recommended(list, n, page);
}

/* --- CSV and JSON --- */

static void csv_size(
	const struct et_sized *s, size_t m, const struct et_size *z, bool recommended, FILE *out)
{
	et_csv_text(s->name, out);
	fprintf(out, ",%s,%s,%zu,%zu,%zu,%zu,%.17g,%.17g,%.6g,%s\n",
		s->by[m].metric ? s->by[m].metric->name : "", et_unit_names[s->unit], z->n,
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

static void write_sizes(struct et_json *w, const struct et_samplesize *z)
{
	et_json_array(w, "sizes");
	for (size_t i = 0; i < z->n_sizes; i++) {
		const struct et_size *size = &z->sizes[i];
		et_json_flat_object(w, NULL);
		et_json_u64(w, "n", size->n);
		et_json_u64(w, "outliers", size->outliers.first + size->outliers.second);
		et_json_u64(w, "outliers_first_check", size->outliers.first);
		et_json_u64(w, "outliers_second_check", size->outliers.second);
		et_json_double(w, "sd", size->sd);
		et_json_double(w, "mean", size->mean);
		et_json_u64(w, "parts", size->parts);
		et_json_double(w, "sd_off", size->sd_off);
		et_json_double(w, "outlier_share", size->share);
		et_json_double(w, "p", size->p);
		et_json_bool(w, "represents", size->represents);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_u64(w, "recommended", z->recommended);
	et_json_string(w, "why", z->why);
}

void et_samplesize_json(struct et_json *w, const struct et_sized *s)
{
	const struct et_samplesize *z = &s->by[0].size;

	et_json_object(w, NULL);
	et_json_string(w, "name", s->name);
	et_json_string(w, "unit", et_unit_names[s->unit]);
	et_json_string(w, "metric", s->by[0].metric ? s->by[0].metric->name : NULL);
	et_json_bool(w, "first_check", s->first_check);
	write_sizes(w, z);
	if (s->n > 1) {
		et_json_object(w, "by_other_metric");
		et_json_string(w, "metric", s->by[1].metric->name);
		write_sizes(w, &s->by[1].size);
		et_json_end(w);
	} else {
		et_json_null(w, "by_other_metric");
	}
	et_json_double(w, "level", z->level);
	et_json_double(w, "inflation", z->inflation);
	et_json_array(w, "for_width");
	for (size_t i = 0; i < z->n_widths; i++) {
		et_json_flat_object(w, NULL);
		et_json_double(w, "relative_width", z->widths[i].relative_width);
		et_json_double(w, "n", z->widths[i].n);
		et_json_double(w, "n_independent", z->widths[i].independent);
		et_json_end(w);
	}
	et_json_end(w);
	struct et_warnings warnings = warnings_of(z);
	et_warnings_json(w, &warnings);
	et_warnings_free(&warnings);
	et_json_end(w);
}
