/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curve with its band: in a terminal, as SVG and in a page. */
#include "app/fit/fit.h"
#include "base/alloc.h"
#include "draw/html.h"
#include "draw/plot.h"
#include "draw/svg_sheet.h"
#include "draw/units.h"
#include "num/quantile.h"
#include "report/warning.h"

#include <math.h>

enum { MARKS = 16, GRID = 120, WIDTH = 720, HEIGHT = 420, SHEET = 760 };

/* The largest size of a picture: the largest that was measured or is predicted. */
static double end_of(const struct et_fit_view *v)
{
	double end = v->growth.points[v->growth.n - 1].size;

	for (size_t i = 0; i < v->n_predict; i++)
		end = fmax(end, v->predict[i]);
	return end;
}

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
	double x[2 * MARKS] = { 0 }, y[2 * MARKS], fitted[2 * MARKS], lo[2 * MARKS], hi[2 * MARKS];
	size_t n = choose_sizes(v, x);
	char name[64];

	for (size_t i = 0; i < n; i++) {
		struct et_growth_value at;

		et_growth_at(&v->growth, x[i], &at);
		y[i] = mean_at(&v->growth, x[i]);
		fitted[i] = at.value;
		lo[i] = at.lo;
		hi[i] = at.hi;
	}
	ET_AUTO_FREE char *label = et_asprintf("measured, on the curve of %s with its band",
		et_fit_name(&v->growth, v->growth.best, name));
	const struct et_curve curves[] = { { NULL, '\0', fitted }, { NULL, '\0', lo },
		{ NULL, '\0', hi }, { label, 'o', y } };
	et_plot_log(x, n, curves, ET_LENGTH(curves), ET_AXIS_NS, "n", page);
}

/* --- SVG --- */

/* The values and titles of one chart. */
struct drawing {
	double x[GRID], fitted[GRID], lo[GRID], hi[GRID];
	double *sizes, *means;
	char **titles;
};

static void fill_curve(const struct et_fit_view *v, struct drawing *d)
{
	double begin = v->growth.points[0].size, end = end_of(v);

	for (int i = 0; i < GRID; i++) {
		struct et_growth_value at;

		d->x[i] = begin * pow(end / begin, i / (GRID - 1.0));
		et_growth_at(&v->growth, d->x[i], &at);
		d->fitted[i] = at.value;
		d->lo[i] = at.lo;
		d->hi[i] = at.hi;
	}
}

static void fill_points(const struct et_fit_view *v, struct drawing *d)
{
	const struct et_growth *g = &v->growth;

	d->sizes = et_calloc(g->n, sizeof(*d->sizes));
	d->means = et_calloc(g->n, sizeof(*d->means));
	d->titles = et_calloc(g->n, sizeof(*d->titles));
	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double error = p->n > 1 ? sqrt(p->variance / (double)p->n) : NAN;
		char buf[ET_FIGURE];

		d->sizes[i] = p->size;
		d->means[i] = p->mean;
		d->titles[i] =
			et_asprintf("size %.6g, %zu run%s: %s", p->size, p->n, p->n == 1 ? "" : "s",
				p->n > 1 ? et_format_measured(p->mean, error, buf)
					 : et_format_time(p->mean, buf));
	}
}

static void free_drawing(struct drawing *d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(d->titles[i]);
	free(d->titles);
	free(d->sizes);
	free(d->means);
}

/* Draws the chart of a series by one of two functions. */
static void draw(const struct et_fit_view *v, struct et_svg_sheet *sheet, FILE *page)
{
	const struct et_growth *g = &v->growth;
	struct drawing *d = et_calloc(1, sizeof(*d));
	char name[64];

	fill_curve(v, d);
	fill_points(v, d);
	ET_AUTO_FREE char *model = et_asprintf("curve of %s", et_fit_name(g, g->best, name));
	ET_AUTO_FREE char *band = et_asprintf("%.4g %% band", 100 * g->level);
	ET_AUTO_FREE char *sentence = et_fit_sentence(v);
	const struct et_svg_series series[] = {
		{ band, ET_SVG_LINE, ET_SVG_GREY, d->x, d->lo, .n = GRID },
		{ NULL, ET_SVG_LINE, ET_SVG_GREY, d->x, d->hi, .n = GRID },
		{ model, ET_SVG_LINE, ET_SVG_RED, d->x, d->fitted, .n = GRID },
		{ "measured mean", ET_SVG_POINTS, ET_SVG_BLUE, d->sizes, d->means,
			.titles = (const char *const *)d->titles, .n = g->n },
	};
	const struct et_chart chart = { .title = v->points->name,
		.description = sentence,
		.x = { .label = "size", .log = true },
		.y = { .label = "time", .unit = ET_AXIS_NS, .log = true },
		.series = series,
		.n_series = ET_LENGTH(series),
		.width = WIDTH,
		.height = HEIGHT };
	if (sheet)
		et_svg_sheet_add(sheet, &chart);
	else
		et_html_picture(page, &chart, true);
	free_drawing(d, g->n);
	free(d);
}

void et_fit_svg(const struct et_fit_view *list, size_t n, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(SHEET);

	for (size_t i = 0; i < n; i++) {
		ET_AUTO_FREE char *sentence = et_fit_sentence(&list[i]);

		draw(&list[i], sheet, NULL);
		et_svg_sheet_text(sheet, false, sentence);
	}
	et_svg_sheet_write(sheet, "growth of time with the size of the input", out);
}

/* --- page --- */

void et_fit_page(const struct et_fit_view *list, size_t n, FILE *out)
{
	et_html_begin(out, "Growth of time with the size of the input");
	for (size_t i = 0; i < n; i++) {
		ET_AUTO_FREE char *sentence = et_fit_sentence(&list[i]);
		struct et_warnings w = { 0 };

		et_html_element(out, "h2", "%s", list[i].points->name);
		et_html_element(out, "p", "%s", sentence);
		et_growth_warn(&list[i].growth, &w);
		et_html_warnings(out, &w);
		et_warnings_free(&w);
		et_html_pictures_begin(out);
		draw(&list[i], NULL, out);
		et_html_pictures_end(out);
		struct et_table models = et_fit_models(&list[i].growth, true);
		struct et_table predictions = et_fit_predictions(&list[i]);
		et_table_html(&models, out);
		if (list[i].n_predict)
			et_table_html(&predictions, out);
		et_table_free(&predictions);
	}
	et_html_end(out);
}
