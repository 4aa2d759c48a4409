/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures 7 to 10 of NIST TN 1826: counts over the number of calls, and the models beside them. */
#include "app/lab/view/profile.h"
#include "app/lab/view/profile_parts.h"
#include "base/alloc.h"
#include "draw/plot.h"
#include "draw/svg_sheet.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 320, FUNCTIONS = 2 };

static double sd_of(const struct et_treatment_cell *c)
{
	return c->sd;
}

static double sd_lo(const struct et_treatment_cell *c)
{
	return c->sd_interval.lo;
}

static double sd_hi(const struct et_treatment_cell *c)
{
	return c->sd_interval.hi;
}

static double mean_of(const struct et_treatment_cell *c)
{
	return c->mean;
}

static double mean_lo(const struct et_treatment_cell *c)
{
	return c->mean - c->interval;
}

static double mean_hi(const struct et_treatment_cell *c)
{
	return c->mean + c->interval;
}

static double by_gprof(const struct et_treatment_cell *c)
{
	return c->predicted.gprof;
}

static double by_multinomial(const struct et_treatment_cell *c)
{
	return c->predicted.multinomial;
}

static double by_quantisation(const struct et_treatment_cell *c)
{
	return c->predicted.quantisation;
}

static double with_total(const struct et_treatment_cell *c)
{
	return c->predicted.with_total;
}

/* --- text --- */

static void row(const struct et_profile_treatment *t, size_t i, struct et_table *table)
{
	const struct et_treatment_cell *c = &t->cells[i];
	const double models[] = { c->predicted.gprof, c->predicted.multinomial,
		c->predicted.quantisation, c->predicted.with_total };
	char buf[ET_FIGURE];

	et_table_add(table, "%-6s %s\t%s", i ? "" : t->name, c->name,
		et_format_count(c->mean, c->interval, buf));
	et_table_add(table, "%s", et_format_spread(c->sd, &c->sd_interval, buf));
	for (size_t k = 0; k < ET_LENGTH(models); k++)
		et_table_add(table, "%s", et_format_short(models[k], buf));
	et_table_add(table, "%s", et_format_r1(c->r1, buf));
}

static void instrument_table(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "calls"),
		ET_COLUMN(NUMBER, "samples"), ET_COLUMN(NUMBER, "sd (95 %)"),
		ET_COLUMN(NUMBER, "√N"), ET_COLUMN(NUMBER, "multi"), ET_COLUMN(NUMBER, "quant"),
		ET_COLUMN(NUMBER, "+tot"), ET_COLUMN(NUMBER, "r1") };
	struct et_table table = { ET_COLUMNS(columns), .split = true };
	ET_AUTO_FREE char *title = et_asprintf(
		"%s: %zu runs per level", s->list[first].instrument, s->list[first].runs);

	et_page_paragraph(page, 0, "", NULL, title, ET_LAB_BOLD);
	for (size_t i = first; i < end; i++) {
		for (size_t c = 0; c < FUNCTIONS; c++)
			row(&s->list[i], c, &table);
	}
	et_table_print(&table, page);
}

static void draw(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	size_t n = end - first;
	ET_AUTO_FREE double *x = et_calloc(n + 1, sizeof(*x));
	ET_AUTO_FREE double *sd1 = et_lab_values(s, first, n, 0, sd_of);
	ET_AUTO_FREE double *sd2 = et_lab_values(s, first, n, 1, sd_of);
	ET_AUTO_FREE double *multinomial = et_lab_values(s, first, n, 1, by_multinomial);
	ET_AUTO_FREE double *quantisation = et_lab_values(s, first, n, 1, by_quantisation);
	ET_AUTO_FREE double *gprof = et_lab_values(s, first, n, 1, by_gprof);
	const struct et_curve curves[] = { { "sd of fn1", '1', sd1 }, { "sd of fn2", '2', sd2 },
		{ "√N of fn2", 'g', gprof }, { "multinomial", 'm', multinomial },
		{ "quantisation of fn2", 'q', quantisation } };

	for (size_t i = 0; i < n; i++)
		x[i] = s->list[first + i].x;
	if (n > 1)
		et_plot_log(x, n, curves, ET_LENGTH(curves), ET_AXIS_NUMBER, "calls", page);
	putc('\n', page->out);
}

void et_fragmentation_text(const struct et_profile_study *s, const struct et_page *page)
{
	for (size_t i = 0; i < s->n;) {
		size_t end = et_lab_same_instrument(s, i);
		instrument_table(s, i, end, page);
		draw(s, i, end, page);
		i = end;
	}
	et_lab_invalid_text(s, page);
	et_lab_missing_text(s, page);
	et_page_paragraph(page, 0, "", NULL,
		"calls: of both functions per run, the work is the same. samples: mean per run ± "
		"its 95 % interval (Student's t); sd: standard deviation of the samples of a run, "
		"with its bootstrap percentile interval. Models of it: √N is that of gprof's "
		"manual; "
		"multi: multinomial, √(n p (1 − p)); quant: quantisation of I calls; +tot: "
		"multinomial "
		"and the "
		"spread of all samples. r1: autocorrelation of dithered counts at lag 1.",
		NULL);
	et_lab_few_text(s, page);
}

/* --- SVG --- */

typedef double value_fn(const struct et_treatment_cell *c);

struct line {
	const char *name;
	value_fn *of;
	enum et_svg_shape shape;
	unsigned color;
};

static void add_chart(struct et_svg_sheet *sheet, const struct et_profile_study *s, size_t first,
	size_t end, size_t category, const struct line *lines, size_t n_lines, const char *what)
{
	size_t n = end - first;
	struct et_svg_series series[8];
	double *values[8];
	ET_AUTO_FREE double *x = et_calloc(n + 1, sizeof(*x));
	ET_AUTO_FREE char *title = et_asprintf("%s: %s of %s", s->list[first].instrument, what,
		s->list[first].cells[category].name);

	for (size_t i = 0; i < n; i++)
		x[i] = s->list[first + i].x;
	for (size_t k = 0; k < n_lines; k++) {
		values[k] = et_lab_values(s, first, n, category, lines[k].of);
		series[k] = (struct et_svg_series){ .name = lines[k].name,
			.shape = lines[k].shape,
			.color = lines[k].color,
			.x = x,
			.y = values[k],
			.n = n };
	}
	struct et_chart c = { .title = title,
		.x = { .label = "calls per run", .log = true },
		.y = { .label = what, .log = true },
		.series = series,
		.n_series = n_lines,
		.width = WIDTH,
		.height = HEIGHT };
	et_svg_sheet_add(sheet, &c);
	for (size_t k = 0; k < n_lines; k++)
		free(values[k]);
}

void et_fragmentation_svg(const struct et_profile_study *s, FILE *out)
{
	static const struct line spread[] = {
		{ "√N", by_gprof, ET_SVG_LINE, ET_SVG_ORANGE },
		{ "multinomial", by_multinomial, ET_SVG_LINE, ET_SVG_GREEN },
		{ "quantisation", by_quantisation, ET_SVG_LINE, ET_SVG_PURPLE },
		{ "multinomial + total", with_total, ET_SVG_LINE, ET_SVG_RED },
		{ "95 % interval", sd_lo, ET_SVG_LINE, ET_SVG_GREY },
		{ NULL, sd_hi, ET_SVG_LINE, ET_SVG_GREY },
		{ "observed", sd_of, ET_SVG_CURVE, ET_SVG_BLUE },
	};
	static const struct line means[] = {
		{ "95 % interval", mean_lo, ET_SVG_LINE, ET_SVG_GREY },
		{ NULL, mean_hi, ET_SVG_LINE, ET_SVG_GREY },
		{ "mean", mean_of, ET_SVG_CURVE, ET_SVG_BLUE },
	};
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);

	for (size_t i = 0; i < s->n;) {
		size_t end = et_lab_same_instrument(s, i);
		for (size_t c = 0; c < FUNCTIONS; c++)
			add_chart(sheet, s, i, end, c, spread, ET_LENGTH(spread),
				"standard deviation");
		for (size_t c = 0; c < FUNCTIONS; c++)
			add_chart(sheet, s, i, end, c, means, ET_LENGTH(means), "mean samples");
		i = end;
	}
	et_svg_sheet_write(sheet, "Samples over the number of calls, the work being the same", out);
}
