/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The charts of a designed experiment: main effects, interactions, Pareto, residuals. */
#include "app/doe/view.h"
#include "dist/dist.h"
#include "num/num.h"
#include "report/charts.h"

enum { SIDE = 420, LOW = 300, SHEET = 2 * SIDE, TRACK = 26, FRAME = 110 };
enum { MOST_TRACKS = 60, MOST_INTERACTIONS = 6, MOST_LINES = 7 };

struct canvas {
	const struct et_doe_view *view;
	const struct et_doe_program *program;
	const struct et_chart_to *to;
};

static void put(const struct canvas *to, struct et_chart *c)
{
	c->width = SIDE;
	c->height = c->n_tracks ? FRAME + TRACK * (int)c->n_tracks : LOW;
	et_chart_put(c, to->to);
}

static enum et_axis_unit axis_unit(const struct et_doe_view *v)
{
	return v->result->unit == ET_UNIT_NS ? ET_AXIS_NS : ET_AXIS_NUMBER;
}

static const char *response(const struct et_doe_view *v)
{
	return et_metrics[v->result->metric].label;
}

/* --- values with names, from the top down --- */

static bool is_main(const struct et_doe_effect *e)
{
	return __builtin_popcount(e->factors) == 1;
}

/* Adds a row, unless there are many; takes its name. */
static void add_row(
	struct et_chart *c, struct et_chart_rows rows, char *name, double x, double lo, double hi)
{
	const char *own = et_chart_own(c, name);

	if (c->n_tracks < MOST_TRACKS)
		et_chart_row(rows, et_chart_track(c, own), x, lo, hi);
}

static void put_rows(const struct canvas *to, struct et_chart *c)
{
	if (c->n_tracks)
		put(to, c);
	et_chart_free(c);
}

static void main_effects(const struct canvas *to)
{
	const struct et_doe_program *p = to->program;
	struct et_chart c = { .title = "Main effects",
		.description = "The mean of all runs with each level of each factor.",
		.x = { .label = response(to->view), .unit = axis_unit(to->view) },
		.marks = { { .at = p->mean, .label = "mean of all runs" } },
		.n_marks = 1 };
	struct et_chart_rows rows = et_chart_rows(&c, ET_SVG_BLUE, ET_SVG_BLUE, "interval", "mean");

	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(to->view, p, e));) {
		for (size_t k = 0; is_main(e) && k < e->n_means; k++)
			add_row(&c, rows, et_asprintf("%s=%s", e->term, e->means[k].levels),
				e->means[k].mean, e->means[k].lo, e->means[k].hi);
	}
	put_rows(to, &c);
}

/* --- machines --- */

/* A forest plot: each main effect on each machine, and on all machines like these. */
static void on_machines(const struct canvas *to)
{
	const struct et_doe_program *p = to->program;
	const struct et_doe_fleet *f = p->fleet;
	struct et_chart c = { .title = "Effects on each machine",
		.description = "The effect of each factor on each machine, with its interval.",
		.x = { .label = "effect in percent of the machine's own level" },
		.n_marks = 1 }; /* at 0 */
	struct et_chart_rows rows =
		et_chart_rows(&c, ET_SVG_BLUE, ET_SVG_BLUE, "interval", "effect");

	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(to->view, p, e));) {
		const struct et_doe_on_machine *on = e->over.on;
		if (!f || !is_main(e) || !e->over.n_on)
			continue;
		for (size_t m = 0; m < e->over.n_on; m++)
			add_row(&c, rows,
				et_asprintf(
					"%s on %s", e->term, et_doe_machine_name(to->view, f, m)),
				on[m].percent, on[m].lo, on[m].hi);
		struct et_doe_change all = et_doe_change_of(p, e);
		add_row(&c, rows, et_asprintf("%s on all", e->term), all.percent, all.lo, all.hi);
	}
	put_rows(to, &c);
}

/* --- Pareto --- */

/* The root of F over its limit: at 1 the test of this effect alone just reaches alpha. */
static double over_limit(const struct et_doe_effect *e, double alpha)
{
	return sqrt(e->f / et_qf(1 - alpha, e->df, e->df2));
}

static void pareto(const struct canvas *to)
{
	const struct et_doe_program *p = to->program;
	double alpha = to->view->result->alpha;
	ET_AUTO_FREE bool *used = et_calloc(p->n_effects + 1, sizeof(*used));
	struct et_chart c = { .title = "Effects by size (Pareto)",
		.description = "The root of F over its limit of significance, largest first.",
		.marks = { { .at = 1 } },
		.n_marks = 1 };
	struct et_curve *bars = et_chart_curve(&c, ET_SVG_SEGMENTS, ET_SVG_BLUE, NULL);

	c.x.label = et_chart_format(&c, "effect over its limit of significance, p = %g", alpha);
	for (size_t rank = 0; rank < p->n_effects && c.n_tracks < MOST_TRACKS; rank++) {
		const struct et_doe_effect *best = NULL;
		for (const struct et_doe_effect *e = NULL; (e = et_doe_next(to->view, p, e));) {
			double x = over_limit(e, alpha);
			if (!used[e - p->effects] && isfinite(x) &&
				(!best || x > over_limit(best, alpha)))
				best = e;
		}
		if (!best)
			break;
		used[best - p->effects] = true;
		et_curve_add_dot(bars, (struct et_dot){ .end = over_limit(best, alpha),
					       .y = et_chart_track(&c, best->term) });
	}
	c.x.hi = bars->n ? fmax(1.2, 1.05 * bars->dots[0].end) : 1.2;
	put_rows(to, &c);
}

/* --- interactions --- */

/* The levels as numbers if all are and ascend, otherwise their places from 0. */
static bool level_places(const struct et_design_factor *f, double *x)
{
	bool numbers = true;

	for (size_t i = 0; i < f->n_levels; i++) {
		char *end;
		x[i] = strtod(f->levels[i], &end);
		numbers = numbers && end > f->levels[i] && !*end && isfinite(x[i]) &&
			  (!i || x[i] > x[i - 1]);
	}
	for (size_t i = 0; !numbers && i < f->n_levels; i++)
		x[i] = (double)i;
	return numbers;
}

/* Levels as names of places on an axis, as long as the room allows; ends with NULL. */
static char **level_names(const struct et_design_factor *f)
{
	enum { COLUMNS = 48, LEAST = 3 };
	int each = COLUMNS / (int)f->n_levels;
	char **names = et_calloc(f->n_levels + 1, sizeof(*names));

	for (size_t i = 0; i < f->n_levels; i++)
		names[i] = et_shorten(f->levels[i], each > LEAST ? each : LEAST);
	return names;
}

static void interaction(const struct canvas *to, size_t a, size_t b)
{
	const struct et_design *d = to->view->result->design;
	const struct et_design_factor *f = &d->factors[a], *g = &d->factors[b];
	ET_AUTO_FREE double *x = et_calloc(f->n_levels, sizeof(*x));
	bool numbers = level_places(f, x);
	char **places = level_names(f);
	struct et_chart c = { .description = "Lines that are not parallel show an interaction.",
		.x = { .label = f->name,
			.tracks = numbers ? NULL : (const char *const *)places,
			.n_tracks = numbers ? 0 : f->n_levels },
		.y = { .label = response(to->view), .unit = axis_unit(to->view) } };

	c.title = et_chart_format(&c, "%s by %s", f->name, g->name);
	for (uint32_t k = 0; k < g->n_levels && k < MOST_LINES; k++) {
		struct et_curve *line = et_chart_curve(
			&c, ET_SVG_CURVE, k, et_chart_format(&c, "%s=%s", g->name, g->levels[k]));
		for (uint32_t i = 0; i < f->n_levels; i++)
			et_curve_add(line, x[i], et_doe_mean_at(d, to->program, a, i, b, k));
	}
	put(to, &c);
	et_strv_free(places);
}

/* Significant interactions first, at most a few. */
static void interactions(const struct canvas *to)
{
	const struct et_doe_program *p = to->program;
	size_t drawn = 0;

	for (int significant = 1; significant >= 0; significant--) {
		for (const struct et_doe_effect *e = NULL; (e = et_doe_next(to->view, p, e));) {
			if (__builtin_popcount(e->factors) != 2 || e->significant != significant ||
				drawn == MOST_INTERACTIONS)
				continue;
			size_t a = (size_t)__builtin_ctz(e->factors);
			interaction(to, a, (size_t)__builtin_ctz(e->factors & ~(1u << a)));
			drawn++;
		}
	}
}

/* --- residuals --- */

static void points(const struct canvas *to, const char *title, struct et_axis x_axis,
	const double *x, const double *y)
{
	struct et_chart c = { .title = title,
		.x = x_axis,
		.y = { .label = "residual", .unit = axis_unit(to->view) },
		.marks = { { .at = 0, .across = true } },
		.n_marks = 1 };
	struct et_curve *k = et_chart_curve(&c, ET_SVG_POINTS, ET_SVG_BLUE, NULL);

	for (size_t i = 0; i < to->program->residuals.n; i++)
		et_curve_add(k, x[i], y[i]);
	put(to, &c);
}

static void residuals(const struct canvas *to)
{
	const struct et_doe_residuals *r = &to->program->residuals;

	if (!r->n)
		return;
	ET_AUTO_FREE double *x = et_calloc(r->n, sizeof(*x));
	ET_AUTO_FREE double *sorted = et_sorted_copy(r->values, r->n);
	points(to, "Residuals against fitted values",
		(struct et_axis){ .label = "fitted", .unit = axis_unit(to->view) }, r->fitted,
		r->values);
	for (size_t i = 0; i < r->n; i++)
		x[i] = (double)(i + 1);
	points(to, "Residuals in the order of the runs", (struct et_axis){ .label = "run" }, x,
		r->values);
	/* Blom's plotting positions. */
	for (size_t i = 0; i < r->n; i++)
		x[i] = et_qnorm(((double)i + 0.625) / ((double)r->n + 0.25));
	points(to, "Residuals against normal quantiles",
		(struct et_axis){ .label = "normal quantile" }, x, sorted);
}

void et_doe_charts(const struct et_doe_view *v, const struct et_doe_program *p,
	const struct et_chart_to *where)
{
	const struct canvas to = { v, p, where };

	main_effects(&to);
	on_machines(&to);
	pareto(&to);
	interactions(&to);
	residuals(&to);
}

void et_doe_svg(const void *view, FILE *out)
{
	const struct et_doe_view *v = view;
	struct et_svg_sheet *sheet = et_svg_sheet_new(SHEET);

	for (size_t i = 0; i < v->result->n_programs; i++) {
		const struct et_doe_program *p = &v->result->programs[i];
		ET_AUTO_FREE char *finding = et_doe_finding(v, p);

		et_svg_sheet_text(sheet, true, p->name);
		et_svg_sheet_text(sheet, false, finding);
		et_doe_charts(v, p, &(struct et_chart_to){ .sheet = sheet });
	}
	et_svg_sheet_write(sheet, v->result->design->name, out);
}

/* A designed experiment in a terminal: the means of levels as a forest plot, and the residuals. */

enum { MOST_MEANS = 24, INDENT = 2 };

/* The mean of each level over the mean of all runs, drawn as ratios with their intervals. */
static void level_means(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	struct et_series series[MOST_MEANS + 1] = { { .name = et_strdup("all") } };
	struct et_contrast pairs[MOST_MEANS] = { 0 };
	size_t n = 0;

	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));) {
		bool shown = is_main(e) || e->significant;
		for (size_t k = 0; shown && k < e->n_means && n < MOST_MEANS; k++) {
			const struct et_doe_mean *m = &e->means[k];
			pairs[n] = (struct et_contrast){ .a = 0,
				.b = (uint32_t)n + 1,
				.ratio = m->mean / p->mean,
				.lo = m->lo / p->mean,
				.hi = m->hi / p->mean,
				.significant = e->significant,
				.alone = ET_NO_RATIO };
			series[++n].name = et_asprintf("%s=%s", e->term, m->levels);
		}
	}
	const struct et_comparison c = { .pairs = pairs, .n_pairs = n, .n_samples = n + 1 };
	if (n)
		et_forest(series, &c, page);
	for (size_t i = 0; i <= n; i++)
		free(series[i].name);
}

/* The runs as if all treatments were alike: their residuals about the mean of all. */
static void plot_residuals(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	size_t n = p->residuals.n;

	if (n < 2)
		return;
	ET_AUTO_FREE double *x = et_calloc(n, sizeof(*x));
	for (size_t i = 0; i < n; i++)
		x[i] = p->mean + p->residuals.values[i];
	et_sort(x, n);
	const struct et_estimate e = { .n = n,
		.mean = p->mean,
		.sd = p->sd_residual,
		.min = x[0],
		.max = x[n - 1],
		.median = x[n / 2],
		.q1 = x[n / 4],
		.q3 = x[3 * n / 4] };
	putc('\n', page->out);
	et_page_paragraph(page, INDENT, "", NULL,
		"  the runs without the effects: the mean of all plus the residuals", NULL);
	et_histogram(x, n, &e, v->result->unit, INDENT, page->width - 2 * INDENT, page->out);
}

void et_doe_plot(const struct et_doe_view *v, const struct et_page *page)
{
	for (size_t i = 0; i < v->result->n_programs; i++) {
		const struct et_doe_program *p = &v->result->programs[i];

		et_doe_heading(page, "%s: means of levels over the mean of all runs", p->name);
		level_means(v, p, page);
		plot_residuals(v, p, page);
	}
}
