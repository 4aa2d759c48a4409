/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/chart.h"
#include "base/alloc.h"
#include "base/memstream.h"
#include "draw/xml.h"

#include <math.h>
#include <stdarg.h>

/* --- what is drawn --- */

struct et_curve *et_chart_curve(
	struct et_chart *c, enum et_svg_shape shape, unsigned color, const char *name)
{
	struct et_curve *k = et_calloc(1, sizeof(*k));

	k->shape = shape;
	k->color = color;
	k->name = name;
	ET_GROW(c->curves, c->n_curves, c->room_curves);
	return c->curves[c->n_curves++] = k;
}

void et_curve_add_dot(struct et_curve *k, struct et_dot dot)
{
	ET_GROW(k->dots, k->n, k->room);
	k->dots[k->n++] = dot;
}

void et_curve_add(struct et_curve *k, double x, double y)
{
	et_curve_add_dot(k, (struct et_dot){ .x = x, .y = y });
}

void et_curve_add_bars(
	struct et_curve *k, double x, double step, double wide, const double *y, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double at = x + (double)i * step;
		et_curve_add_dot(k, (struct et_dot){ .x = at, .end = at + wide, .y = y[i] });
	}
}

void et_curve_add_all(struct et_curve *k, double x, double step, const double *y, size_t n)
{
	et_curve_add_bars(k, x, step, 0, y, n);
}

void et_curve_sort(struct et_curve *k)
{
	for (size_t i = 1; i < k->n; i++) {
		struct et_dot dot = k->dots[i];
		size_t at = i;
		for (; at > 0 && k->dots[at - 1].x > dot.x; at--)
			k->dots[at] = k->dots[at - 1];
		k->dots[at] = dot;
	}
}

double et_chart_track(struct et_chart *c, const char *name)
{
	ET_GROW(c->tracks, c->n_tracks, c->room_tracks);
	c->tracks[c->n_tracks++] = name;
	c->y.tracks = c->tracks;
	c->y.n_tracks = c->n_tracks;
	return (double)(c->n_tracks - 1);
}

struct et_chart_rows et_chart_rows(struct et_chart *c, unsigned color, unsigned of_intervals,
	const char *intervals, const char *points)
{
	struct et_curve *lines = et_chart_curve(c, ET_SVG_INTERVALS, of_intervals, intervals);

	return (struct et_chart_rows){ lines, et_chart_curve(c, ET_SVG_POINTS, color, points) };
}

void et_chart_row(struct et_chart_rows f, double at, double x, double lo, double hi)
{
	et_curve_add_dot(f.intervals, (struct et_dot){ .x = lo, .end = hi, .y = at });
	et_curve_add(f.points, x, at);
}

const char *et_chart_own(struct et_chart *c, char *text)
{
	if (!text)
		return NULL;
	ET_GROW(c->texts, c->n_texts, c->room_texts);
	return c->texts[c->n_texts++] = text;
}

const char *et_chart_format(struct et_chart *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	return et_chart_own(c, text);
}

void et_chart_free(struct et_chart *c)
{
	for (size_t i = 0; i < c->n_curves; i++) {
		free(c->curves[i]->dots);
		free(c->curves[i]);
	}
	for (size_t i = 0; i < c->n_texts; i++)
		free(c->texts[i]);
	free(c->curves);
	free(c->tracks);
	free(c->texts);
	*c = (struct et_chart){ 0 };
}

/* --- sheets --- */

enum { LINE = 24, MARGIN = 18 };

/* The height of the sheet is in its first line, so everything else waits in memory. */
struct et_svg_sheet {
	struct et_memstream memory;
	FILE *body;
	int width;
	int x, y;   /* where the next chart is placed */
	int height; /* of the row of charts at y */
};

struct et_svg_sheet *et_svg_sheet_new(int width)
{
	struct et_svg_sheet *s = et_calloc(1, sizeof(*s));

	s->width = width;
	s->body = et_memstream_open(&s->memory);
	return s;
}

static void end_row(struct et_svg_sheet *s)
{
	s->y += s->height;
	s->x = s->height = 0;
}

/* Places a chart, which has a width and a height, beside the last one if there is room. */
static void place(struct et_svg_sheet *s, const struct et_chart *c)
{
	if (s->x && s->x + c->width > s->width)
		end_row(s);
	fprintf(s->body, "<g transform=\"translate(%d %d)\">\n", s->x, s->y);
	et_svg_write(c, false, s->body);
	fputs("</g>\n", s->body);
	s->x += c->width;
	s->height = c->height > s->height ? c->height : s->height;
}

void et_svg_sheet_text(struct et_svg_sheet *s, bool heading, const char *text)
{
	end_row(s);
	s->y += LINE;
	fprintf(s->body, "<text%s x=\"%d\" y=\"%d\">", heading ? " class=\"tt\"" : "", MARGIN,
		s->y - LINE / 4);
	et_xml_text(s->body, text);
	fputs("</text>\n", s->body);
}

void et_svg_sheet_write(struct et_svg_sheet *s, const char *title, FILE *out)
{
	end_row(s);
	ET_AUTO_FREE char *text = et_memstream_close(&s->memory);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"et\" role=\"img\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
		s->width, s->y, s->width, s->y);
	et_xml_text(out, title);
	fprintf(out,
		"</title>\n<style>" ET_SVG_STYLE "</style>\n"
		"<path class=\"bg\" d=\"M0 0H%dV%dH0z\"/>\n%s</svg>\n",
		s->width, s->y, text);
	free(s);
}

/* --- where it is drawn --- */

/* Curves with limits: each is a hundredth of the (logarithmic) axis to the right of the last one.
 */
static void spread(struct et_chart *c)
{
	for (size_t i = 0; i < c->n_curves; i++) {
		struct et_curve *k = c->curves[i];
		if (!k->limits || !k->n)
			continue;
		double step = log(fmax(k->dots[k->n - 1].x / k->dots[0].x, 2)) / 100;
		double by = exp(step * ((double)i - ((double)c->n_curves - 1) / 2));
		for (size_t j = 0; j < k->n; j++)
			k->dots[j].x *= by;
	}
}

void et_chart_put(struct et_chart *c, const struct et_chart_to *to)
{
	spread(c);
	if (to->sheet) {
		place(to->sheet, c);
	} else if (to->page && c->bare) {
		et_svg_write(c, false, to->page);
	} else if (to->page) {
		fprintf(to->page, "<figure%s>\n", c->wide ? " class=\"wide\" tabindex=\"0\"" : "");
		et_svg_write(c, false, to->page);
		fputs("</figure>\n", to->page);
	} else {
		et_svg_write(c, true, to->file);
	}
	et_chart_free(c);
}
