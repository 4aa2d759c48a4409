/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/samplesize.h"
#include "base/whole.h"
#include "report/rows.h"
#include "report/units.h"
#include "report/warning.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

static void size_row(const struct et_series *s, const struct et_size *z, bool recommended,
	const struct et_page *page)
{
	char buf[ET_FIGURE];

	fprintf(page->out, "  %10zu\t%10zu", z->n, z->outliers);
	et_cell(page, 16, et_format_value(z->mean, s->unit, buf));
	et_cell(page, 16, et_format_value(z->sd, s->unit, buf));
	et_cell(page, 12, et_format_percent(z->sd_off, buf));
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

void et_samplesize_text(
	const struct et_series *s, const struct et_samplesize *z, const struct et_page *page)
{
	char width[ET_FIGURE], level[ET_FIGURE];
	struct et_rows rows;

	et_page_paragraph(page, 0, "", NULL, s->name, BOLD);
	const struct et_page *table = et_rows_begin(&rows, page);
	fprintf(table->out, "  %10s\t%10s\t%16s\t%16s\t%12s\n", "first", "outliers", "mean", "sd",
		"sd off by");
	for (size_t i = 0; i < z->n_sizes; i++)
		size_row(s, &z->sizes[i], i > 0 && z->sizes[i].n == z->recommended, table);
	et_rows_end(&rows);
	fprintf(page->out, "\n");
	snprintf(width, sizeof(width), "  %zu runs:", z->recommended);
	et_page_paragraph(page, 4, width, BOLD, z->why, NULL);
	fprintf(page->out, "\n  relative width of the %s interval of the mean\n",
		et_format_percent(z->level, level));
	bool dependent = z->inflation > 1;
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
	struct et_warnings w = warnings_of(z);
	et_warnings_text(page, 2, &w);
	et_warnings_free(&w);
}

void et_samplesize_json(struct et_json *w, const struct et_series *s, const struct et_samplesize *z)
{
	et_json_object(w, NULL);
	et_json_string(w, "name", s->name);
	et_json_string(w, "unit", et_unit_names[s->unit]);
	et_json_array(w, "sizes");
	for (size_t i = 0; i < z->n_sizes; i++) {
		const struct et_size *size = &z->sizes[i];
		et_json_flat_object(w, NULL);
		et_json_u64(w, "n", size->n);
		et_json_u64(w, "outliers", size->outliers);
		et_json_double(w, "sd", size->sd);
		et_json_double(w, "mean", size->mean);
		et_json_u64(w, "parts", size->parts);
		et_json_double(w, "sd_off", size->sd_off);
		et_json_double(w, "p", size->p);
		et_json_bool(w, "represents", size->represents);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_u64(w, "recommended", z->recommended);
	et_json_string(w, "why", z->why);
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
