/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab fragmentation`: Figures 7 to 10 of NIST TN 1826. */
#include "app/lab/profile.h"

enum { WIDTH = 480, HEIGHT = 320, FUNCTIONS = 2 };

static void plan(struct et_profiling *p)
{
	et_profiling_add(p, "random", ET_LAB_RANDOM, &et_default_profile_plan);
	(void)et_profiling_add_gprof(p, "gprof", "fragment");
}

static void add_commands(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	for (int half = 2; half <= 16; half++)
		et_lab_add_fragment(
			p, part, e, et_asprintf("10^%g", half / 2.0), et_lab_calls(half / 2.0));
}

/* --- text --- */

static void print_text(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "calls"),
		ET_COLUMN(NUMBER, "samples"), ET_COLUMN(NUMBER, "sd (95 %)"),
		ET_COLUMN(NUMBER, "√N", .format = et_format_short),
		ET_COLUMN(NUMBER, "multi", .format = et_format_short),
		ET_COLUMN(NUMBER, "quant", .format = et_format_short),
		ET_COLUMN(NUMBER, "+tot", .format = et_format_short),
		ET_COLUMN(NUMBER, "r1", .format = et_format_r1) };
	static const struct et_cell_line lines[] = {
		{ "sd of fn1", ET_CELL(sd), ET_SVG_CURVE, .mark = '1' },
		{ "sd of fn2", ET_CELL(sd), ET_SVG_CURVE, .mark = '2', .category = 1 },
		{ "√N of fn2", ET_CELL(predicted.gprof), ET_SVG_CURVE, .mark = 'g', .category = 1 },
		{ "multinomial", ET_CELL(predicted.multinomial), ET_SVG_CURVE, .mark = 'm',
			.category = 1 },
		{ "quantisation of fn2", ET_CELL(predicted.quantisation), ET_SVG_CURVE, .mark = 'q',
			.category = 1 },
	};
	struct et_table table = { ET_COLUMNS(columns), .split = true };
	struct et_chart p = { .text = { ET_TEXT_LOG, 1, "calls" } };

	et_lab_heading(
		page, "%s: %zu runs per level", s->list[first].instrument, s->list[first].runs);
	for (size_t i = first; i < end; i++) {
		for (size_t k = 0; k < FUNCTIONS; k++) {
			const struct et_treatment_cell *c = &s->list[i].cells[k];
			const struct et_profile_models *m = &c->predicted;
			et_lab_cell(&table, 6, k ? "" : s->list[i].name, c);
			et_table_row(&table, m->gprof, m->multinomial, m->quantisation,
				m->with_total, c->r1);
		}
	}
	et_table_print(&table, page);
	et_lab_cell_lines(&p, s, first, end, lines, ET_LENGTH(lines), 0);
	et_lab_chart(&p, page);
}

static const char explanation[] =
	"calls: of both functions per run, the work is the same. samples: mean per run ± "
	"its 95 % interval (Student's t); sd: standard deviation of the samples of a run, "
	"with its bootstrap percentile interval. Models of it: √N is that of gprof's "
	"manual; multi: multinomial, √(n p (1 − p)); quant: quantisation of I calls; +tot: "
	"multinomial and the spread of all samples. r1: autocorrelation of dithered counts "
	"at lag 1.";

/* --- SVG --- */

static void add_charts(const struct et_chart_to *to, const struct et_profile_study *s, size_t first,
	size_t end, const struct et_cell_line *lines, size_t n, const char *what)
{
	for (size_t c = 0; c < FUNCTIONS; c++) {
		struct et_chart p = { .x = { .label = "calls per run", .log = true },
			.y = { .label = what, .log = true },
			.width = WIDTH,
			.height = HEIGHT };

		p.title = et_chart_format(&p, "%s: %s of %s", s->list[first].instrument, what,
			s->list[first].cells[c].name);
		et_lab_cell_lines(&p, s, first, end, lines, n, c);
		et_chart_put(&p, to);
	}
}

static void draw(const struct et_profile_study *s, const struct et_chart_to *to)
{
	static const struct et_cell_line spread[] = {
		{ "√N", ET_CELL(predicted.gprof), ET_SVG_LINE, .color = ET_SVG_ORANGE },
		{ "multinomial", ET_CELL(predicted.multinomial), ET_SVG_LINE,
			.color = ET_SVG_GREEN },
		{ "quantisation", ET_CELL(predicted.quantisation), ET_SVG_LINE,
			.color = ET_SVG_PURPLE },
		{ "multinomial + total", ET_CELL(predicted.with_total), ET_SVG_LINE,
			.color = ET_SVG_RED },
		{ "95 % interval", ET_CELL(sd_interval.lo), ET_SVG_LINE, .color = ET_SVG_GREY },
		{ NULL, ET_CELL(sd_interval.hi), ET_SVG_LINE, .color = ET_SVG_GREY },
		{ "observed", ET_CELL(sd), ET_SVG_CURVE, .color = ET_SVG_BLUE },
	};
	static const struct et_cell_line means[] = {
		{ "95 % interval", ET_CELL(mean_interval.lo), ET_SVG_LINE, .color = ET_SVG_GREY },
		{ NULL, ET_CELL(mean_interval.hi), ET_SVG_LINE, .color = ET_SVG_GREY },
		{ "mean", ET_CELL(mean), ET_SVG_CURVE, .color = ET_SVG_BLUE },
	};

	for (size_t i = 0, end; i < s->n; i = end) {
		end = et_lab_same_instrument(s, i);
		add_charts(to, s, i, end, spread, ET_LENGTH(spread), "standard deviation");
		add_charts(to, s, i, end, means, ET_LENGTH(means), "mean samples");
	}
}

const struct et_profile_lab et_lab_fragmentation = { 20, 1000, 300 * ET_LAB_MS, 1600 * ET_LAB_MS,
	plan, add_commands, et_lab_by_calls, 3, 2, .has_spreads = true, .text = print_text,
	.explanation = explanation, .draw = draw,
	.sheet = "Samples over the number of calls, the work being the same",
	.sheet_width = 2 * WIDTH };
