/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curve with its band: in a terminal, as SVG and in a page. */
#include "app/fit/fit.h"
#include "base/alloc.h"
#include "draw/html.h"
#include "draw/units.h"
#include "num/quantile.h"
#include "report/warning.h"

#include <math.h>

enum { MARKS = 16, GRID = 120, WIDTH = 720, HEIGHT = 420, SHEET = 760 };

/* --- the chart --- */

/* Adds the curve and the ends of its band at these sizes; NULL: without a name. */
static void add_model(struct et_chart *c, const struct et_growth *g, const double *sizes, size_t n,
	const char *band, const char *model)
{
	struct et_curve *lo = et_chart_curve(c, ET_SVG_LINE, ET_SVG_GREY, band);
	struct et_curve *hi = et_chart_curve(c, ET_SVG_LINE, ET_SVG_GREY, NULL);
	struct et_curve *fitted = et_chart_curve(c, ET_SVG_LINE, ET_SVG_RED, model);

	for (size_t i = 0; i < n; i++) {
		struct et_growth_value at;

		et_growth_at(g, sizes[i], &at);
		et_curve_add(fitted, sizes[i], at.value);
		et_curve_add(lo, sizes[i], at.lo);
		et_curve_add(hi, sizes[i], at.hi);
	}
}

static const struct et_chart empty = { .x = { .label = "size", .log = true },
	.y = { .label = "time", .unit = ET_AXIS_NS, .log = true },
	.width = WIDTH,
	.height = HEIGHT,
	.wide = true,
	.text = { .x_label = "n" } };

/* --- terminal --- */

/* Some of the measured sizes, and the predicted ones; ascending. Returns their number. */
static size_t choose_sizes(const struct et_fit_view *v, double *x)
{
	const struct et_growth *g = &v->growth;
	size_t n = 0, some = g->n < MARKS ? g->n : MARKS;

	for (size_t i = 0; i < some; i++)
		x[n++] = g->points[i * (g->n - 1) / (some - 1)].size;
	for (size_t i = 0; i < v->n_predict && i < MARKS; i++)
		x[n++] = v->predict[i];
	et_sort(x, n);
	return n;
}

static double mean_at(const struct et_growth *g, double size)
{
	for (size_t i = 0; i < g->n; i++) {
		if (g->points[i].size == size)
			return g->points[i].mean;
	}
	return NAN;
}

void et_fit_plot(const struct et_fit_view *v, const struct et_page *page)
{
	struct et_chart c = empty;
	double x[2 * MARKS] = { 0 };
	size_t n = choose_sizes(v, x);
	char name[64];

	add_model(&c, &v->growth, x, n, NULL, NULL);
	struct et_curve *k = et_chart_curve(&c, ET_SVG_CURVE, ET_SVG_BLUE,
		et_chart_format(&c, "measured, on the curve of %s with its band",
			et_fit_name(&v->growth, v->growth.best, name)));
	k->mark = 'o';
	for (size_t i = 0; i < n; i++)
		et_curve_add(k, x[i], mean_at(&v->growth, x[i]));
	et_chart_print(&c, page);
}

/* --- SVG --- */

static void add_points(struct et_chart *c, const struct et_growth *g)
{
	struct et_curve *k = et_chart_curve(c, ET_SVG_POINTS, ET_SVG_BLUE, "measured mean");

	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double error = p->n > 1 ? sqrt(p->variance / (double)p->n) : NAN;
		char buf[ET_FIGURE];
		const char *title = et_chart_format(c, "size %.6g, %zu run%s: %s", p->size, p->n,
			p->n == 1 ? "" : "s",
			p->n > 1 ? et_format_measured(p->mean, error, buf)
				 : et_format_time(p->mean, buf));
		et_curve_add_dot(k, (struct et_dot){ .x = p->size, .y = p->mean, .title = title });
	}
}

static void draw(const struct et_fit_view *v, const struct et_chart_to *to)
{
	const struct et_growth *g = &v->growth;
	double begin = g->points[0].size, end = g->points[g->n - 1].size, x[GRID];
	struct et_chart c = empty;
	char name[64];

	for (size_t i = 0; i < v->n_predict; i++)
		end = fmax(end, v->predict[i]);
	for (int i = 0; i < GRID; i++)
		x[i] = begin * pow(end / begin, i / (GRID - 1.0));
	c.title = v->points->name;
	c.description = et_chart_own(&c, et_fit_sentence(v));
	add_model(&c, g, x, GRID, et_chart_format(&c, "%.4g %% band", 100 * g->level),
		et_chart_format(&c, "curve of %s", et_fit_name(g, g->best, name)));
	add_points(&c, g);
	et_chart_put(&c, to);
}

void et_fit_svg(const void *list, FILE *out)
{
	const struct et_fit_list *l = list;
	struct et_svg_sheet *sheet = et_svg_sheet_new(SHEET);

	for (size_t i = 0; i < l->n; i++) {
		ET_AUTO_FREE char *sentence = et_fit_sentence(&l->views[i]);

		draw(&l->views[i], &(struct et_chart_to){ .sheet = sheet });
		et_svg_sheet_text(sheet, false, sentence);
	}
	et_svg_sheet_write(sheet, "growth of time with the size of the input", out);
}

/* --- page --- */

void et_fit_page(const void *list, FILE *out)
{
	const struct et_fit_list *l = list;

	et_html_begin(out, "Growth of time with the size of the input");
	for (size_t i = 0; i < l->n; i++) {
		const struct et_fit_view *v = &l->views[i];
		ET_AUTO_FREE char *sentence = et_fit_sentence(v);
		struct et_warnings w = { 0 };

		et_html_element(out, "h2", "%s", v->points->name);
		et_html_element(out, "p", "%s", sentence);
		et_growth_warn(&v->growth, &w);
		et_html_warnings(out, &w);
		et_warnings_free(&w);
		et_html_pictures_begin(out);
		draw(v, &(struct et_chart_to){ .page = out });
		et_html_pictures_end(out);
		struct et_table models = et_fit_models(&v->growth, true);
		struct et_table predictions = et_fit_predictions(v);
		et_table_html(&models, out);
		if (v->n_predict)
			et_table_html(&predictions, out);
		et_table_free(&predictions);
	}
	et_html_end(out);
}
