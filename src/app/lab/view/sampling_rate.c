/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures 18 to 20 of NIST TN 1826: counts over the rate of sampling. */
#include "app/lab/view/profile.h"
#include "app/lab/view/profile_parts.h"
#include "base/alloc.h"
#include "draw/plot.h"
#include "draw/svg_sheet.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 320, FUNCTIONS = 2 };

static double mean_of(const struct et_treatment_cell *c)
{
	return c->mean;
}

static double sd_of(const struct et_treatment_cell *c)
{
	return c->sd;
}

static double relative_of(const struct et_treatment_cell *c)
{
	return c->mean > 0 ? c->sd / c->mean : NAN;
}

static double *rates(const struct et_profile_study *s)
{
	double *x = et_calloc(s->n + 1, sizeof(*x));

	for (size_t i = 0; i < s->n; i++)
		x[i] = 1e9 / s->list[i].x;
	return x;
}

/* --- text --- */

static void row(const struct et_profile_treatment *t, size_t i, struct et_table *table)
{
	const struct et_treatment_cell *c = &t->cells[i];
	char buf[ET_FIGURE], rate[ET_FIGURE];

	snprintf(rate, sizeof(rate), 1e9 / t->x < 100 ? "%.3g Hz" : "%.0f Hz", 1e9 / t->x);
	et_table_add(table, "%-9s %s\t%s", i ? "" : rate, c->name,
		et_format_count(c->mean, c->interval, buf));
	et_table_add(table, "%s", et_format_spread(c->sd, &c->sd_interval, buf));
	et_table_add(table, "%s", et_format_percent(relative_of(c), buf));
	et_table_add(table, "%s", et_format_percent(c->share, buf));
	et_table_add(table, "%s", et_format_r1(c->r1, buf));
}

/* The number of runs differs if some were throttled. */
static void losses(const struct et_profile_study *s, const struct et_page *page)
{
	uint64_t overruns = 0;
	double samples = 0;

	for (size_t i = 0; i < s->n; i++) {
		overruns += s->list[i].overruns;
		samples += s->list[i].total_mean * (double)s->list[i].runs;
	}
	if (!overruns)
		return;
	ET_AUTO_FREE char *text = et_asprintf("%" PRIu64 " of %.0f samples were due and not taken",
		overruns, samples + (double)overruns);
	et_page_paragraph(page, 2, "", NULL, text, NULL);
}

static void draw(const struct et_profile_study *s, const struct et_page *page)
{
	ET_AUTO_FREE double *x = rates(s);
	ET_AUTO_FREE double *mean1 = et_lab_values(s, 0, s->n, 0, mean_of);
	ET_AUTO_FREE double *mean2 = et_lab_values(s, 0, s->n, 1, mean_of);
	ET_AUTO_FREE double *sd1 = et_lab_values(s, 0, s->n, 0, sd_of);
	ET_AUTO_FREE double *sd2 = et_lab_values(s, 0, s->n, 1, sd_of);
	const struct et_curve curves[] = { { "mean of fn1", '1', mean1 },
		{ "mean of fn2", '2', mean2 }, { "sd of fn1", 'a', sd1 },
		{ "sd of fn2", 'b', sd2 } };

	if (s->n > 1)
		et_plot_log(x, s->n, curves, ET_LENGTH(curves), ET_AXIS_NUMBER, "Hz", page);
	putc('\n', page->out);
}

void et_sampling_rate_text(const struct et_profile_study *s, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "rate"),
		ET_COLUMN(NUMBER, "samples"), ET_COLUMN(NUMBER, "sd (95 %)"),
		ET_COLUMN(NUMBER, "sd/mean"), ET_COLUMN(NUMBER, "share"), ET_COLUMN(NUMBER, "r1") };
	struct et_table table = { ET_COLUMNS(columns), .split = true };

	for (size_t i = 0; i < s->n; i++) {
		for (size_t c = 0; c < FUNCTIONS; c++)
			row(&s->list[i], c, &table);
	}
	et_table_print(&table, page);
	draw(s, page);
	et_lab_invalid_text(s, page);
	et_lab_without_share_text(s, page);
	losses(s, page);
	et_lab_missing_text(s, page);
	et_page_paragraph(page, 0, "", NULL,
		"rate: samples per second of CPU time that were asked for. samples: mean per run ± "
		"its 95 % interval; sd: standard deviation with its bootstrap percentile interval; "
		"share: of the samples in fn1 and fn2, which have 20 % and 80 % of the work; r1: "
		"autocorrelation of dithered counts at lag 1.",
		NULL);
	et_lab_few_text(s, page);
}

/* --- SVG --- */

static void add_chart(struct et_svg_sheet *sheet, const struct et_profile_study *s,
	double (*of)(const struct et_treatment_cell *cell), const char *what,
	enum et_axis_unit unit)
{
	ET_AUTO_FREE double *x = rates(s);
	ET_AUTO_FREE double *y1 = et_lab_values(s, 0, s->n, 0, of);
	ET_AUTO_FREE double *y2 = et_lab_values(s, 0, s->n, 1, of);
	const struct et_svg_series series[] = {
		{ .name = "fn1",
			.shape = ET_SVG_POINTS,
			.color = ET_SVG_BLUE,
			.x = x,
			.y = y1,
			.n = s->n },
		{ .name = "fn2",
			.shape = ET_SVG_POINTS,
			.color = ET_SVG_RED,
			.x = x,
			.y = y2,
			.n = s->n },
	};
	struct et_chart c = { .title = what,
		.x = { .label = "samples per second", .log = true },
		.y = { .label = what, .unit = unit, .log = true },
		.series = series,
		.n_series = ET_LENGTH(series),
		.width = WIDTH,
		.height = HEIGHT };
	et_svg_sheet_add(sheet, &c);
}

void et_sampling_rate_svg(const struct et_profile_study *s, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);

	add_chart(sheet, s, mean_of, "mean samples", ET_AXIS_NUMBER);
	add_chart(sheet, s, sd_of, "standard deviation", ET_AXIS_NUMBER);
	add_chart(sheet, s, relative_of, "standard deviation / mean", ET_AXIS_SHARE);
	et_svg_sheet_write(sheet, "Samples over the rate of sampling", out);
}
