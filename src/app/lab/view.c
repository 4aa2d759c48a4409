/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view.h"
#include "base/alloc.h"
#include "draw/plot.h"

#include <math.h>

static void say(const struct et_page *page, int indent, const char *lead, const char *style,
	const char *fmt, va_list ap)
{
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);

	et_page_paragraph(page, indent, lead, NULL, text, style);
}

void et_lab_heading(const struct et_page *page, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(page, 0, "", "1", fmt, ap);
	va_end(ap);
}

void et_lab_text(const struct et_page *page, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(page, 0, "", NULL, fmt, ap);
	va_end(ap);
}

void et_lab_item(const struct et_page *page, int indent, const char *lead, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(page, indent, lead, NULL, fmt, ap);
	va_end(ap);
}

void et_lab_table(struct et_table *t, const struct et_page *page)
{
	et_table_print(t, page);
	putc('\n', page->out);
}

const char *et_format_error(double error, char buf[ET_FIGURE])
{
	double percent = 100 * error;
	int decimals = fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;

	if (isnan(percent))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%+.*f", decimals, percent);
	return buf;
}

double et_lab_share(uint64_t k, uint64_t n)
{
	return n ? (double)k / (double)n : NAN;
}

/* --- pictures --- */

struct et_picture_line *et_picture_line(
	struct et_picture *p, char *name, enum et_svg_shape shape, unsigned color, char mark)
{
	struct et_picture_line *l = et_calloc(1, sizeof(*l));

	l->name = name;
	l->shape = shape;
	l->color = color;
	l->mark = mark;
	ET_GROW(p->lines, p->n, p->room);
	return p->lines[p->n++] = l;
}

void et_picture_add_span(struct et_picture_line *l, double x, double end, double y)
{
	if (l->n == l->room) {
		l->room = 2 * l->room + 16;
		l->x = et_realloc(l->x, l->room, sizeof(*l->x));
		l->y = et_realloc(l->y, l->room, sizeof(*l->y));
		l->end = et_realloc(l->end, l->room, sizeof(*l->end));
	}
	l->x[l->n] = x;
	l->y[l->n] = y;
	l->end[l->n++] = end;
}

void et_picture_add(struct et_picture_line *l, double x, double y)
{
	et_picture_add_span(l, x, NAN, y);
}

void et_picture_sort(struct et_picture_line *l)
{
	for (size_t i = 1; i < l->n; i++) {
		double x = l->x[i], y = l->y[i];
		size_t at = i;
		for (; at > 0 && l->x[at - 1] > x; at--) {
			l->x[at] = l->x[at - 1];
			l->y[at] = l->y[at - 1];
		}
		l->x[at] = x;
		l->y[at] = y;
	}
}

static void free_lines(struct et_picture *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct et_picture_line *l = p->lines[i];
		free(l->x);
		free(l->y);
		free(l->end);
		free(l->name);
		free(l);
	}
	free(p->lines);
	free(p->title);
	*p = (struct et_picture){ 0 };
}

/* --- SVG --- */

/* Draws into the sheet, or a file of its own if that is NULL. */
static void draw(struct et_picture *p, struct et_svg_sheet *sheet, FILE *out)
{
	struct et_svg_series *series = et_calloc(p->n + 1, sizeof(*series));
	struct et_chart c = p->chart;

	for (size_t i = 0; i < p->n; i++) {
		const struct et_picture_line *l = p->lines[i];
		bool ends = l->shape >= ET_SVG_BARS && l->shape <= ET_SVG_INTERVALS;
		series[i] = (struct et_svg_series){ .name = l->name,
			.shape = l->shape,
			.color = l->color,
			.x = l->x,
			.y = l->y,
			.x_end = ends ? l->end : NULL,
			.n = l->n };
	}
	c.title = p->title ? p->title : c.title;
	c.series = series;
	c.n_series = p->n;
	if (sheet)
		et_svg_sheet_add(sheet, &c);
	else
		et_svg_write(&c, out);
	free(series);
	free_lines(p);
}

void et_picture_svg(struct et_picture *p, FILE *out)
{
	draw(p, NULL, out);
}

void et_picture_place(struct et_picture *p, struct et_svg_sheet *sheet)
{
	draw(p, sheet, NULL);
}

/* --- terminal --- */

/* The next x of the lines, of which at[] values are done; infinite after the last. */
static double next_x(const struct et_picture *p, const size_t *at)
{
	double x = INFINITY;

	for (size_t i = 0; i < p->n; i++) {
		if (at[i] < p->lines[i]->n)
			x = fmin(x, p->lines[i]->x[at[i]]);
	}
	return x;
}

/*
 * Fills the values of x of all lines, and those of y of each line, which has room for as many; NaN
 * where it has no value. Returns the number of x.
 */
static size_t merge(const struct et_picture *p, double unit, double *x, double *y, size_t room)
{
	ET_AUTO_FREE size_t *at = et_calloc(p->n + 1, sizeof(*at));
	size_t n = 0;

	for (double next; isfinite(next = next_x(p, at)); n++) {
		x[n] = next / unit;
		for (size_t i = 0; i < p->n; i++) {
			const struct et_picture_line *l = p->lines[i];
			bool here = at[i] < l->n && l->x[at[i]] == next;
			y[i * room + n] = here ? l->y[at[i]] : NAN;
			at[i] += here;
		}
	}
	return n;
}

static void plot(const struct et_picture *p, enum et_picture_scale scale, const double *x, size_t n,
	const struct et_curve *curves, const char *x_label, const struct et_page *page)
{
	static void (*const plots[])(const double *x, size_t n, const struct et_curve *curves,
		size_t n_curves, const char *x_label, const struct et_page *page) = {
		[ET_PICTURE_SHARES] = et_plot_shares,
		[ET_PICTURE_ERRORS] = et_plot_errors,
		[ET_PICTURE_ERROR_POINTS] = et_plot_error_points,
		[ET_PICTURE_SIGNED_ERRORS] = et_plot_signed_errors,
	};

	if (scale == ET_PICTURE_LOG)
		et_plot_log(x, n, curves, p->n, p->chart.y.unit, x_label, page);
	else if (scale == ET_PICTURE_NUMBERS)
		et_plot_numbers(x, n, curves, p->n, p->chart.y.hi, x_label, page);
	else
		plots[scale](x, n, curves, p->n, x_label, page);
}

void et_picture_plot(struct et_picture *p, enum et_picture_scale scale, double unit,
	const char *x_label, const struct et_page *page)
{
	ET_AUTO_FREE struct et_curve *curves = et_calloc(p->n + 1, sizeof(*curves));
	size_t room = 1;

	for (size_t i = 0; i < p->n; i++)
		room += p->lines[i]->n;
	ET_AUTO_FREE double *x = et_calloc(room, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(room * (p->n + 1), sizeof(*y));
	size_t n = merge(p, unit, x, y, room);
	for (size_t i = 0; i < p->n; i++)
		curves[i] = (struct et_curve){ p->lines[i]->name, p->lines[i]->mark, y + i * room };
	if (n > 1)
		plot(p, scale, x, n, curves, x_label, page);
	putc('\n', page->out);
	free_lines(p);
}
