/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "report/lab_clocks.h"
#include "report/svg.h"

#include <math.h>

#define BOLD "1"

enum { STATE_COLUMNS = 20, TIME_COLUMNS = 10, MOST_BAR = 24 };

/* --- text --- */

/* The bars are logarithmic: each block stands for the same factor. */
static void print_bar(const struct et_page *page, double share)
{
	int room = page->width - 4 - STATE_COLUMNS - 3 * TIME_COLUMNS - 3;
	int most = room < MOST_BAR ? room : MOST_BAR;

	fputs("\t  ", page->out);
	for (int i = 0; i < lround(share * most); i++)
		fputs("▇", page->out);
}

static void print_step(
	const struct et_cache_effects *c, int i, double lo, double hi, const struct et_page *page)
{
	const struct et_cache_effects_times *t = &c->steps[i];
	char buf[ET_FIGURE];

	fprintf(page->out, "%2d %c  %-*s", i + 1, et_cache_effects_steps[i].procedure,
		STATE_COLUMNS - 1, et_cache_effects_steps[i].state);
	et_cell(page, TIME_COLUMNS, et_format_rounded(t->median_ns, 3, buf));
	et_cell(page, TIME_COLUMNS, et_format_rounded(t->min_ns, 3, buf));
	et_cell(page, TIME_COLUMNS, et_format_rounded(t->max_ns, 3, buf));
	if (t->median_ns > 0 && hi > lo)
		print_bar(page, (log(t->median_ns / lo) + 0.2) / (log(hi / lo) + 0.2));
	putc('\n', page->out);
}

void et_cache_effects_text(const struct et_cache_effects *c, const struct et_page *page)
{
	char a[ET_FIGURE], b[ET_FIGURE], cleared[ET_FIGURE], time[ET_FIGURE];
	double lo = NAN, hi = NAN;
	struct et_rows rows;

	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++) {
		lo = fmin(lo, c->steps[i].median_ns);
		hi = fmax(hi, c->steps[i].median_ns);
	}
	ET_AUTO_FREE char *title = et_asprintf("the sequence, %zu times", c->steps[0].n);
	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	const struct et_page *table = et_rows_begin(&rows, page);
	fprintf(table->out, "   %-*s", STATE_COLUMNS + 1, "call");
	et_cell(table, TIME_COLUMNS, "median");
	et_cell(table, TIME_COLUMNS, "least");
	et_cell(table, TIME_COLUMNS, "most");
	putc('\n', table->out);
	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++)
		print_step(c, i, lo, hi, table);
	et_rows_end(&rows);
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, "by libetalon", BOLD);
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++)
		fprintf(page->out, "   %c  %-*s%s\n", et_cache_effects_kbests[i].procedure,
			STATE_COLUMNS - 1, et_cache_effects_kbests[i].state,
			isnan(c->kbest_ns[i])
				? ET_DASH
				: et_format_measured(c->kbest_ns[i], c->error_ns[i], time));
	ET_AUTO_FREE char *text = et_asprintf(
		"Procedure A reads one byte per cache line of %s, B of %s: B evicts A's data from "
		"all caches except the last level. The last-level cache was cleared by writing %s. "
		"The bars are logarithmic.",
		et_format_bytes((uint64_t)fmax(c->a_bytes, 0), a),
		et_format_bytes((uint64_t)fmax(c->b_bytes, 0), b),
		et_format_bytes((uint64_t)fmax(c->cleared_bytes, 0), cleared));
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

/* --- SVG --- */

void et_cache_effects_svg(const struct et_cache_effects *c, FILE *out)
{
	double median[ET_CACHE_EFFECTS_STEPS], least[ET_CACHE_EFFECTS_STEPS],
		most[ET_CACHE_EFFECTS_STEPS];
	double track[ET_CACHE_EFFECTS_STEPS];
	char names[ET_CACHE_EFFECTS_STEPS][48];
	const char *tracks[ET_CACHE_EFFECTS_STEPS];

	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++) {
		median[i] = c->steps[i].median_ns;
		least[i] = c->steps[i].min_ns;
		most[i] = c->steps[i].max_ns;
		track[i] = i;
		snprintf(names[i], sizeof(names[i]), "%c %s", et_cache_effects_steps[i].procedure,
			et_cache_effects_steps[i].state);
		tracks[i] = names[i];
	}
	struct et_svg_series series[] = {
		{ .name = "least to most",
			.shape = ET_SVG_INTERVALS,
			.color = ET_SVG_GREY,
			.x = least,
			.x_end = most,
			.y = track,
			.n = ET_CACHE_EFFECTS_STEPS },
		{ .name = "median",
			.shape = ET_SVG_POINTS,
			.color = ET_SVG_BLUE,
			.x = median,
			.y = track,
			.n = ET_CACHE_EFFECTS_STEPS },
	};
	struct et_chart chart = { .title = "Calls in sequence: the effect of the cache",
		.description = "Times of eight successive calls of two procedures.",
		.x = { .label = "time", .unit = ET_AXIS_NS, .log = true },
		.y = { .tracks = tracks, .n_tracks = ET_CACHE_EFFECTS_STEPS },
		.series = series,
		.n_series = ET_LENGTH(series) };
	et_svg_write(&chart, out);
}

/* --- JSON --- */

void et_cache_effects_json(
	const struct et_experiment *e, const struct et_cache_effects *c, FILE *out)
{
	struct et_json w;

	et_lab_json_begin(&w, e, "cache", out);
	et_json_double(&w, "a_bytes", c->a_bytes);
	et_json_double(&w, "b_bytes", c->b_bytes);
	et_json_double(&w, "cleared_bytes", c->cleared_bytes);
	et_json_array(&w, "calls");
	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++) {
		const struct et_cache_effects_step *s = &et_cache_effects_steps[i];
		et_json_flat_object(&w, NULL);
		et_json_string(&w, "procedure", s->procedure == 'A' ? "A" : "B");
		et_json_string(&w, "state", s->state);
		et_json_u64(&w, "n", c->steps[i].n);
		et_json_double(&w, "median_ns", c->steps[i].median_ns);
		et_json_double(&w, "min_ns", c->steps[i].min_ns);
		et_json_double(&w, "max_ns", c->steps[i].max_ns);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_array(&w, "etalon");
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++) {
		et_json_flat_object(&w, NULL);
		et_json_string(
			&w, "procedure", et_cache_effects_kbests[i].procedure == 'A' ? "A" : "B");
		et_json_string(&w, "cache", et_cache_effects_kbests[i].state);
		et_json_double(&w, "ns", c->kbest_ns[i]);
		et_json_double(&w, "said", c->error_ns[i] / c->kbest_ns[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}
