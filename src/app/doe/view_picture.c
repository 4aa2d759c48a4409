/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The charts of a designed experiment: main effects, interactions, Pareto, residuals. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "dist/dist.h"
#include "draw/html.h"
#include "draw/svg_sheet.h"
#include "num/quantile.h"
#include "num/student.h"
#include "report/charts.h"

#include <math.h>

enum { SIDE = 420, LOW = 300, SHEET = 2 * SIDE, TRACK = 26, FRAME = 110 };
enum { MOST_TRACKS = 60, MOST_INTERACTIONS = 6, MOST_LINES = 7 };

/* Where charts go. */
struct canvas {
	const struct et_doe_view *view;
	const struct et_doe_program *program;
	struct et_svg_sheet *sheet; /* NULL: a page */
	FILE *page;
};

static void put(const struct canvas *to, struct et_chart *c)
{
	c->width = SIDE;
	c->height = c->height ? c->height : LOW;
	if (to->sheet)
		et_svg_sheet_add(to->sheet, c);
	else
		et_html_picture(to->page, c, false);
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

struct tracks {
	char *names[MOST_TRACKS];
	double x[MOST_TRACKS], lo[MOST_TRACKS], hi[MOST_TRACKS], at[MOST_TRACKS];
	size_t n;
};

static void add_track(struct tracks *t, char *name, double x, double lo, double hi)
{
	if (t->n == MOST_TRACKS) {
		free(name);
		return;
	}
	t->names[t->n] = name;
	t->x[t->n] = x;
	t->lo[t->n] = lo;
	t->hi[t->n] = hi;
	t->at[t->n] = (double)t->n;
	t->n++;
}

static void free_tracks(struct tracks *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->names[i]);
}

static int height_of(const struct tracks *t)
{
	return FRAME + TRACK * (int)t->n;
}

/* Draws a point with its interval on each track, and one mark. Frees the tracks. */
static void put_forest(
	const struct canvas *to, struct et_chart *c, struct tracks *t, const char *point)
{
	const struct et_svg_series series[] = {
		{ .name = "interval",
			.shape = ET_SVG_INTERVALS,
			.x = t->lo,
			.x_end = t->hi,
			.y = t->at,
			.n = t->n },
		{ .name = point, .shape = ET_SVG_POINTS, .x = t->x, .y = t->at, .n = t->n },
	};

	c->y.tracks = (const char *const *)t->names;
	c->y.n_tracks = t->n;
	c->series = series;
	c->n_series = ET_LENGTH(series);
	c->n_marks = 1;
	c->height = height_of(t);
	if (t->n)
		put(to, c);
	free_tracks(t);
}

static bool is_main(const struct et_doe_effect *e)
{
	return __builtin_popcount(e->factors) == 1;
}

static void main_effects(const struct canvas *to)
{
	const struct et_doe_program *p = to->program;
	struct tracks t = { 0 };

	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		for (size_t k = 0; is_main(e) && et_doe_shows(to->view, e) && k < e->n_means; k++)
			add_track(&t, et_asprintf("%s=%s", e->term, e->means[k].levels),
				e->means[k].mean, e->means[k].lo, e->means[k].hi);
	}
	const struct et_svg_mark mark = { .at = p->mean, .label = "mean of all runs" };
	struct et_chart c = { .title = "Main effects",
		.description = "The mean of all runs with each level of each factor.",
		.x = { .label = response(to->view), .unit = axis_unit(to->view) },
		.marks = &mark };
	put_forest(to, &c, &t, "mean");
}

/* --- machines --- */

/* A forest plot: each main effect on each machine, and on all machines like these. */
static void on_machines(const struct canvas *to)
{
	const struct et_doe_program *p = to->program;
	const struct et_doe_fleet *f = p->fleet;
	struct tracks t = { 0 };

	for (size_t i = 0; f && i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		const struct et_doe_on_machine *on = e->over.on;
		if (!is_main(e) || !et_doe_shows(to->view, e) || !e->over.n_on)
			continue;
		for (size_t m = 0; m < e->over.n_on; m++)
			add_track(&t,
				et_asprintf("%s on %s", e->term,
					to->view->result->machines[f->machines[m].name]),
				on[m].percent, on[m].lo, on[m].hi);
		struct et_doe_change all = et_doe_change_of(p, e);
		add_track(&t, et_asprintf("%s on all", e->term), all.percent, all.lo, all.hi);
	}
	const struct et_svg_mark zero = { .at = 0 };
	struct et_chart c = { .title = "Effects on each machine",
		.description = "The effect of each factor on each machine, with its interval.",
		.x = { .label = "effect in percent of the machine's own level" },
		.marks = &zero };
	put_forest(to, &c, &t, "effect");
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
	double alpha = to->view->result->alpha, zero[MOST_TRACKS] = { 0 };
	ET_AUTO_FREE bool *used = et_calloc(p->n_effects + 1, sizeof(*used));
	struct tracks t = { 0 };

	for (size_t rank = 0; rank < p->n_effects; rank++) {
		size_t best = p->n_effects;
		for (size_t i = 0; i < p->n_effects; i++) {
			double x = over_limit(&p->effects[i], alpha);
			if (used[i] || !isfinite(x) || !et_doe_shows(to->view, &p->effects[i]))
				continue;
			if (best == p->n_effects || x > over_limit(&p->effects[best], alpha))
				best = i;
		}
		if (best == p->n_effects)
			break;
		used[best] = true;
		add_track(&t, et_strdup(p->effects[best].term),
			over_limit(&p->effects[best], alpha), 0, 0);
	}
	const struct et_svg_series bars = {
		.shape = ET_SVG_SEGMENTS, .x = zero, .x_end = t.x, .y = t.at, .n = t.n
	};
	ET_AUTO_FREE char *label =
		et_asprintf("effect over its limit of significance, p = %g", alpha);
	const struct et_svg_mark mark = { .at = 1 };
	struct et_chart c = { .title = "Effects by size (Pareto)",
		.description = "The root of F over its limit of significance, largest first.",
		.x = { .label = label, .lo = 0, .hi = t.n ? fmax(1.2, 1.05 * t.x[0]) : 1.2 },
		.y = { .tracks = (const char *const *)t.names, .n_tracks = t.n },
		.series = &bars,
		.n_series = 1,
		.marks = &mark,
		.n_marks = 1,
		.height = height_of(&t) };
	if (t.n)
		put(to, &c);
	free_tracks(&t);
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
	size_t lines = g->n_levels < MOST_LINES ? g->n_levels : MOST_LINES;
	struct et_svg_series series[MOST_LINES] = { 0 };
	ET_AUTO_FREE double *x = et_calloc(f->n_levels, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(f->n_levels * lines, sizeof(*y));
	char *names[MOST_LINES];

	bool numbers = level_places(f, x);
	char **places = level_names(f);
	for (uint32_t k = 0; k < lines; k++) {
		double *line = y + k * f->n_levels;
		for (uint32_t i = 0; i < f->n_levels; i++)
			line[i] = et_doe_mean_at(d, to->program, a, i, b, k);
		names[k] = et_asprintf("%s=%s", g->name, g->levels[k]);
		series[k] = (struct et_svg_series){ .name = names[k],
			.shape = ET_SVG_CURVE,
			.color = k,
			.x = x,
			.y = line,
			.n = f->n_levels };
	}
	ET_AUTO_FREE char *title = et_asprintf("%s by %s", f->name, g->name);
	struct et_chart c = { .title = title,
		.description = "Lines that are not parallel show an interaction.",
		.x = { .label = f->name,
			.tracks = numbers ? NULL : (const char *const *)places,
			.n_tracks = numbers ? 0 : f->n_levels },
		.y = { .label = response(to->view), .unit = axis_unit(to->view) },
		.series = series,
		.n_series = lines };
	put(to, &c);
	et_strv_free(places);
	for (size_t k = 0; k < lines; k++)
		free(names[k]);
}

/* Significant interactions first, at most a few. */
static void interactions(const struct canvas *to)
{
	const struct et_doe_program *p = to->program;
	size_t drawn = 0;

	for (int significant = 1; significant >= 0; significant--) {
		for (size_t i = 0; i < p->n_effects && drawn < MOST_INTERACTIONS; i++) {
			const struct et_doe_effect *e = &p->effects[i];
			if (__builtin_popcount(e->factors) != 2 || e->significant != significant ||
				!et_doe_shows(to->view, e))
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
	const struct et_svg_series s = { .shape = ET_SVG_POINTS,
		.color = ET_SVG_BLUE,
		.x = x,
		.y = y,
		.n = to->program->residuals.n };
	const struct et_svg_mark zero = { .at = 0, .across = true };
	struct et_chart c = { .title = title,
		.x = x_axis,
		.y = { .label = "residual", .unit = axis_unit(to->view) },
		.series = &s,
		.n_series = 1,
		.marks = &zero,
		.n_marks = 1 };

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
	struct et_svg_sheet *sheet, FILE *page)
{
	const struct canvas to = { v, p, sheet, page };

	main_effects(&to);
	on_machines(&to);
	pareto(&to);
	interactions(&to);
	residuals(&to);
}

void et_doe_svg(const struct et_doe_view *v, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(SHEET);

	for (size_t i = 0; i < v->result->n_programs; i++) {
		const struct et_doe_program *p = &v->result->programs[i];
		ET_AUTO_FREE char *finding = et_doe_finding(v, p);

		et_svg_sheet_text(sheet, true, p->name);
		et_svg_sheet_text(sheet, false, finding);
		et_doe_charts(v, p, sheet, NULL);
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

	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		bool is_main = __builtin_popcount(e->factors) == 1;
		if (!et_doe_shows(v, e) || !(is_main || e->significant))
			continue;
		for (size_t k = 0; k < e->n_means && n < MOST_MEANS; k++) {
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
