/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures 21 and 22 of NIST TN 1826: the counts with and without a competing load. */
#include "app/lab/view/profile.h"
#include "app/lab/view/profile_parts.h"
#include "base/alloc.h"
#include "draw/svg_sheet.h"

#include <math.h>
#include <string.h>

enum { CLOUD = 24, WIDTH = 480, HEIGHT = 300, FUNCTIONS = 2 };

/* The cloud of counts as a strip: how many runs have a count in each of its columns. */
static void cloud_cell(const double *counts, size_t n, double lo, double hi, struct et_table *t)
{
	static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	ET_AUTO_FREE char *cloud = NULL;
	size_t in[CLOUD] = { 0 }, most = 1;

	for (size_t r = 0; r < n; r++) {
		double at = hi > lo ? (counts[r] - lo) / (hi - lo) : 0;
		size_t column = (size_t)(at * (CLOUD - 0.001));
		if (++in[column] > most)
			most = in[column];
	}
	for (size_t i = 0; i < CLOUD; i++)
		et_append(&cloud, "", "%s", bars[(in[i] * 8 + most - 1) / most]);
	et_table_add(t, "%s", cloud);
}

/* The range of a function's counts over the treatments of one instrument. */
static void range(const struct et_profile_study *s, size_t first, size_t end, size_t c, double *lo,
	double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;
	for (size_t i = first; i < end; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		for (size_t r = 0; r < t->runs; r++) {
			*lo = fmin(*lo, t->counts[c * t->runs + r]);
			*hi = fmax(*hi, t->counts[c * t->runs + r]);
		}
	}
}

static void instrument_table(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	ET_AUTO_FREE char *title =
		et_asprintf("%s: %zu runs of each", s->list[first].instrument, s->list[first].runs);
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "calls, load"),
		ET_COLUMN(NUMBER, "samples"), ET_COLUMN(NUMBER, "sd (95 %)"),
		ET_COLUMN(TEXT, "counts") };
	struct et_table table = { ET_COLUMNS(columns), .split = true };
	char count[ET_FIGURE], spread[ET_FIGURE];

	et_page_paragraph(page, 0, "", NULL, title, ET_LAB_BOLD);
	for (size_t c = 0; c < FUNCTIONS; c++) {
		double lo, hi;
		range(s, first, end, c, &lo, &hi);
		for (size_t i = first; i < end; i++) {
			const struct et_profile_treatment *t = &s->list[i];
			const struct et_treatment_cell *cell = &t->cells[c];
			et_table_add(&table, "%-19s %s\t%s\t%s", t->name, cell->name,
				et_format_count(cell->mean, cell->interval, count),
				et_format_spread(cell->sd, &cell->sd_interval, spread));
			cloud_cell(t->counts + c * t->runs, t->runs, lo, hi, &table);
		}
	}
	et_table_print(&table, page);
	putc('\n', page->out);
}

void et_competing_load_text(const struct et_profile_study *s, const struct et_page *page)
{
	for (size_t i = 0; i < s->n;) {
		size_t end = et_lab_same_instrument(s, i);
		instrument_table(s, i, end, page);
		i = end;
	}
	et_lab_invalid_text(s, page);
	et_lab_missing_text(s, page);
	et_page_paragraph(page, 0, "", NULL,
		"The program and the load (dd if=/dev/urandom of=/dev/null) have the same CPU. The "
		"note also started the kernel with nosmp, which a running machine cannot do: one "
		"CPU for both stands in for it. samples: mean per run ± its 95 % interval; sd: "
		"standard deviation with its bootstrap percentile interval; counts: of all runs, "
		"from the smallest to the largest of the function.",
		NULL);
	et_lab_few_text(s, page);
}

/* --- SVG --- */

static void add_chart(struct et_svg_sheet *sheet, const struct et_profile_study *s, size_t first,
	size_t end, size_t c)
{
	size_t n = 0, room = 0;
	struct et_svg_series series[ET_SVG_COLORS];
	double *x[ET_SVG_COLORS];
	ET_AUTO_FREE char *title = et_asprintf(
		"%s: samples in %s", s->list[first].instrument, s->list[first].cells[c].name);

	for (size_t i = first; i < end && n < ET_SVG_COLORS; i++, n++) {
		const struct et_profile_treatment *t = &s->list[i];
		x[n] = et_calloc(t->runs + 1, sizeof(double));
		for (size_t r = 0; r < t->runs; r++)
			x[n][r] = (double)(r + 1);
		series[n] = (struct et_svg_series){ .name = t->name,
			.shape = ET_SVG_POINTS,
			.color = (unsigned)n,
			.x = x[n],
			.y = t->counts + c * t->runs,
			.n = t->runs };
		room += t->runs;
	}
	struct et_chart chart = { .title = title,
		.x = { .label = "run" },
		.y = { .label = "samples" },
		.series = series,
		.n_series = n,
		.width = WIDTH,
		.height = HEIGHT };
	if (room)
		et_svg_sheet_add(sheet, &chart);
	for (size_t i = 0; i < n; i++)
		free(x[i]);
}

void et_competing_load_svg(const struct et_profile_study *s, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);

	for (size_t i = 0; i < s->n;) {
		size_t end = et_lab_same_instrument(s, i);
		for (size_t c = 0; c < FUNCTIONS; c++)
			add_chart(sheet, s, i, end, c);
		i = end;
	}
	et_svg_sheet_write(sheet, "Samples with and without a competing load", out);
}
