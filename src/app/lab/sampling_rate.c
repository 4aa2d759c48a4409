/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab sampling-rate`: Figures 18 to 20 of NIST TN 1826. */
#include "app/lab/profile.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 480, HEIGHT = 320, FUNCTIONS = 2 };

static void plan(struct et_profiling *p)
{
	for (int half = 16; half >= 9; half--) {
		struct et_profile_plan plan = et_default_profile_plan;
		char name[32];
		plan.rate_hz = 0;
		plan.period = (uint64_t)llround(pow(10, half / 2.0));
		snprintf(name, sizeof(name), "10^%g", half / 2.0);
		et_profiling_add(p, name, ET_LAB_RANDOM, &plan);
	}
}

static void add_commands(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	et_lab_add_fragment(p, part, e, et_strdup(part->name), 1000);
}

static double by_period(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	(void)c;
	et_lab_fragment_categories(1000, out);
	return (double)part->e->profile->plan.period;
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
	et_table_add(table, "%s", et_format_percent(c->relative, buf));
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
	if (overruns)
		et_lab_item(page, 2, "", "%" PRIu64 " of %.0f samples were due and not taken",
			overruns, samples + (double)overruns);
}

static void draw(const struct et_profile_study *s, const struct et_page *page)
{
	static const struct et_cell_line lines[2 * FUNCTIONS] = {
		{ "mean of fn1", ET_CELL(mean), ET_SVG_CURVE, .mark = '1', .period = true },
		{ "mean of fn2", ET_CELL(mean), ET_SVG_CURVE, .mark = '2', .period = true },
		{ "sd of fn1", ET_CELL(sd), ET_SVG_CURVE, .mark = 'a', .period = true },
		{ "sd of fn2", ET_CELL(sd), ET_SVG_CURVE, .mark = 'b', .period = true },
	};
	struct et_chart p = { .text = { ET_TEXT_LOG, 1, "Hz" } };

	for (size_t k = 0; k < ET_LENGTH(lines); k++)
		et_lab_cell_line(&p, s, 0, s->n, &lines[k], k % FUNCTIONS);
	et_lab_chart(&p, page);
}

static void print_text(const struct et_profile_study *s, const struct et_page *page)
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
}

static const char explanation[] =
	"rate: samples per second of CPU time that were asked for. samples: mean per run ± "
	"its 95 % interval; sd: standard deviation with its bootstrap percentile "
	"interval; share: of the samples in fn1 and fn2, which have 20 % and 80 % of the "
	"work; r1: autocorrelation of dithered counts at lag 1.";

/* --- SVG --- */

static void add_chart(struct et_svg_sheet *sheet, const struct et_profile_study *s, size_t at,
	const char *what, enum et_axis_unit unit)
{
	const struct et_cell_line lines[FUNCTIONS] = {
		{ "fn1", at, ET_SVG_POINTS, ET_SVG_BLUE, .period = true },
		{ "fn2", at, ET_SVG_POINTS, ET_SVG_RED, .period = true },
	};
	struct et_chart p = { .title = what,
		.x = { .label = "samples per second", .log = true },
		.y = { .label = what, .unit = unit, .log = true },
		.width = WIDTH,
		.height = HEIGHT };

	for (size_t c = 0; c < FUNCTIONS; c++)
		et_lab_cell_line(&p, s, 0, s->n, &lines[c], c);
	et_chart_put(&p, &(struct et_chart_to){ .sheet = sheet });
}

static void draw_svg(const struct et_profile_study *s, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);

	add_chart(sheet, s, ET_CELL(mean), "mean samples", ET_AXIS_NUMBER);
	add_chart(sheet, s, ET_CELL(sd), "standard deviation", ET_AXIS_NUMBER);
	add_chart(sheet, s, ET_CELL(relative), "standard deviation / mean", ET_AXIS_SHARE);
	et_svg_sheet_write(sheet, "Samples over the rate of sampling", out);
}

const struct et_profile_lab et_lab_sampling_rate = { 20, 100, 500 * ET_LAB_MS, 1600 * ET_LAB_MS,
	plan, add_commands, by_period, 3, 2, .has_spreads = true, .has_shares = true,
	.text = print_text, .notes = losses, .explanation = explanation, .svg = draw_svg };
