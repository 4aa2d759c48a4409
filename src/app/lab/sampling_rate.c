/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab sampling-rate`: Figures 18 to 20 of NIST TN 1826. */
#include "app/lab/profile.h"

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

static void print_text(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "rate"),
		ET_COLUMN(NUMBER, "samples"), ET_COLUMN(NUMBER, "sd (95 %)"),
		ET_COLUMN(NUMBER, "sd/mean", .format = et_format_percent),
		ET_COLUMN(NUMBER, "share", .format = et_format_percent),
		ET_COLUMN(NUMBER, "r1", .format = et_format_r1) };
	static const struct et_cell_line lines[2 * FUNCTIONS] = {
		{ "mean of fn1", ET_CELL(mean), ET_SVG_CURVE, 0, '1', 0, .period = true },
		{ "mean of fn2", ET_CELL(mean), ET_SVG_CURVE, 0, '2', 1, .period = true },
		{ "sd of fn1", ET_CELL(sd), ET_SVG_CURVE, 0, 'a', 0, .period = true },
		{ "sd of fn2", ET_CELL(sd), ET_SVG_CURVE, 0, 'b', 1, .period = true },
	};
	struct et_table table = { ET_COLUMNS(columns), .split = true };
	struct et_chart p = { .text = { ET_TEXT_LOG, 1, "Hz" } };

	for (size_t i = first; i < end; i++) {
		for (size_t k = 0; k < FUNCTIONS; k++) {
			const struct et_treatment_cell *c = &s->list[i].cells[k];
			double hz = 1e9 / s->list[i].x;
			char rate[ET_FIGURE];
			snprintf(rate, sizeof(rate), hz < 100 ? "%.3g Hz" : "%.0f Hz", hz);
			et_lab_cell(&table, 9, k ? "" : rate, c);
			et_table_row(&table, c->relative, c->share, c->r1);
		}
	}
	et_table_print(&table, page);
	et_lab_cell_lines(&p, s, first, end, lines, ET_LENGTH(lines), 0);
	et_lab_chart(&p, page);
}

static const char explanation[] =
	"rate: samples per second of CPU time that were asked for. samples: mean per run ± "
	"its 95 % interval; sd: standard deviation with its bootstrap percentile "
	"interval; share: of the samples in fn1 and fn2, which have 20 % and 80 % of the "
	"work; r1: autocorrelation of dithered counts at lag 1.";

/* --- SVG --- */

static void draw(const struct et_profile_study *s, const struct et_chart_to *to)
{
	static const struct {
		const char *what;
		size_t at;
		enum et_axis_unit unit;
	} charts[] = { { "mean samples", ET_CELL(mean), ET_AXIS_NUMBER },
		{ "standard deviation", ET_CELL(sd), ET_AXIS_NUMBER },
		{ "standard deviation / mean", ET_CELL(relative), ET_AXIS_SHARE } };

	for (size_t i = 0; i < ET_LENGTH(charts); i++) {
		size_t at = charts[i].at;
		const struct et_cell_line lines[FUNCTIONS] = {
			{ "fn1", at, ET_SVG_POINTS, ET_SVG_BLUE, .period = true },
			{ "fn2", at, ET_SVG_POINTS, ET_SVG_RED, .category = 1, .period = true },
		};
		struct et_chart p = { .title = charts[i].what,
			.x = { .label = "samples per second", .log = true },
			.y = { .label = charts[i].what, .unit = charts[i].unit, .log = true },
			.width = WIDTH,
			.height = HEIGHT };

		et_lab_cell_lines(&p, s, 0, s->n, lines, ET_LENGTH(lines), 0);
		et_chart_put(&p, to);
	}
}

const struct et_profile_lab et_lab_sampling_rate = { 20, 100, 500 * ET_LAB_MS, 1600 * ET_LAB_MS,
	plan, add_commands, by_period, 3, 2, .has_spreads = true, .has_shares = true,
	.text = print_text, .notes = losses, .explanation = explanation, .draw = draw,
	.sheet = "Samples over the rate of sampling", .sheet_width = 2 * WIDTH };
