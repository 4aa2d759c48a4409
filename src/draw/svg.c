/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/whole.h"
#include "draw/chart.h"
#include "draw/xml.h"

enum {
	WIDTH = 720,
	HEIGHT = 320,
	NARROWEST = 160,
	WIDEST = 4000,
	TRACK = 34,
	LONGEST_TRACK = 26, /* columns of text in a track's name */
	LONGEST_NAME = 40,  /* the same in a legend's entry */
	LINE = 18,          /* height of a line of text */
	RIGHT = 26,
	EDGE = 6,     /* around a bare chart */
	OVERHANG = 5, /* marks on the edge are not clipped */
	CELL = 3,     /* a thinned series has at most one point in a square of this side (pixels) */
};

#define GLYPH 6.9 /* approximate width of a character in pixels */

struct plot {
	const struct et_chart *c;
	FILE *out;
	struct et_axis x, y;
	struct et_ticks x_ticks, y_ticks;
	double left, top, width, height; /* of the area between the axes */
	int page_width, page_height;
	size_t thinned, drawn; /* values of thinned series, and how many of them were drawn */
};

/* --- text and numbers --- */

/* class may be "". */
static void text_at(const struct plot *p, double x, double y, const char *class, const char *anchor,
	const char *text)
{
	et_xml_coordinates(p->out, "<text x=\"%\" y=\"%", x, y);
	if (*class)
		fprintf(p->out, "\" class=\"%s", class);
	fprintf(p->out, "\" text-anchor=\"%s\">", anchor);
	et_xml_text(p->out, text);
	fputs("</text>\n", p->out);
}

static char *shortened(const char *text, int columns)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");

	return et_shorten(clean, columns);
}

static double px(const struct plot *p, double x)
{
	return p->left + p->width * et_axis_share(&p->x, x);
}

static double py(const struct plot *p, double y)
{
	double share = et_axis_share(&p->y, y);

	/* Tracks are listed from the top. */
	return p->top + p->height * (p->y.n_tracks ? share : 1 - share);
}

static bool inside(const struct plot *p, double x, double y)
{
	double dx = px(p, x) - p->left, dy = py(p, y) - p->top;

	/* Tolerate rounding errors of a point on the edge. */
	return dx >= -1e-6 && dx <= p->width + 1e-6 && dy >= -1e-6 && dy <= p->height + 1e-6;
}

/* --- range of the axes --- */

static bool has_end(const struct et_curve *s)
{
	return s->shape >= ET_SVG_BARS && s->shape <= ET_SVG_INTERVALS;
}

static void stretch(double *lo, double *hi, double x, bool log)
{
	if (isfinite(x) && (!log || x > 0)) {
		*lo = fmin(*lo, x);
		*hi = fmax(*hi, x);
	}
}

static void fit(struct plot *p)
{
	const struct et_chart *c = p->c;
	double x_lo = INFINITY, x_hi = -INFINITY, y_lo = INFINITY, y_hi = -INFINITY;

	for (size_t k = 0; k < c->n_curves; k++) {
		const struct et_curve *s = c->curves[k];
		for (size_t i = 0; i < s->n; i++) {
			const struct et_dot *d = &s->dots[i];
			stretch(&x_lo, &x_hi, d->x, c->x.log);
			stretch(&y_lo, &y_hi, d->y, c->y.log);
			if (has_end(s))
				stretch(&x_lo, &x_hi, d->end, c->x.log);
			if (s->limits) {
				stretch(&y_lo, &y_hi, d->lo, c->y.log);
				stretch(&y_lo, &y_hi, d->hi, c->y.log);
			}
		}
		if (s->shape == ET_SVG_BARS && s->n)
			stretch(&y_lo, &y_hi, 0, c->y.log);
	}
	for (size_t i = 0; i < c->n_marks; i++) {
		if (c->marks[i].across)
			stretch(&y_lo, &y_hi, c->marks[i].at, c->y.log);
		else
			stretch(&x_lo, &x_hi, c->marks[i].at, c->x.log);
	}
	p->x = et_axis_fit(&c->x, x_lo, x_hi);
	p->y = et_axis_fit(&c->y, y_lo, y_hi);
}

/* --- layout --- */

/* Returns the x of an entry of the legend; moves *x and *row to the next entry. */
static int place_entry(const struct plot *p, const struct et_curve *s, int *x, int *row)
{
	ET_AUTO_FREE char *name = shortened(s->name, LONGEST_NAME);
	int width = 34 + (int)(GLYPH * et_columns(name)), at;

	if (*x > 0 && *x + width > p->page_width - 2 * LINE) {
		*x = 0;
		++*row;
	}
	at = *x;
	*x += width;
	return at;
}

static int legend_rows(const struct plot *p)
{
	int x = 0, row = 0, n = 0;

	for (size_t i = 0; i < p->c->n_curves; i++) {
		if (p->c->curves[i]->name) {
			place_entry(p, p->c->curves[i], &x, &row);
			n++;
		}
	}
	return n ? row + 1 : 0;
}

static int widest_label(const struct plot *p)
{
	int widest = 0;

	for (size_t i = 0; i < p->y.n_tracks; i++) {
		ET_AUTO_FREE char *name = shortened(p->y.tracks[i], LONGEST_TRACK);
		int columns = et_columns(name);
		widest = columns > widest ? columns : widest;
	}
	for (size_t i = 0; !p->y.n_tracks && i < p->y_ticks.n; i++) {
		int columns = et_columns(p->y_ticks.text[i]);
		widest = columns > widest ? columns : widest;
	}
	return widest;
}

static int bounded(int given, int otherwise)
{
	int size = given > 0 ? given : otherwise;

	return size < NARROWEST ? NARROWEST : size > WIDEST ? WIDEST : size;
}

static void lay_out(struct plot *p)
{
	const struct et_chart *c = p->c;
	int below = 2 * LINE + (c->x.label ? LINE : 0);

	p->page_width = bounded(c->width, WIDTH);
	p->top = LINE * (2 + legend_rows(p)) - 2;
	int wanted = c->y.n_tracks ? (int)p->top + below + TRACK * (int)c->y.n_tracks : HEIGHT;
	p->page_height = bounded(c->height, wanted);
	p->height = fmax(NARROWEST / 4.0, p->page_height - p->top - below);
	if (!c->y.n_tracks)
		et_axis_ticks(&p->y, (int)(p->height / 30), &p->y_ticks);
	p->left = 16 + GLYPH * widest_label(p) + (c->y.label ? LINE : 0);
	p->width = fmax(NARROWEST / 4.0, p->page_width - p->left - RIGHT);
	et_axis_ticks(&p->x, (int)(p->width / 62), &p->x_ticks);
}

/* --- axes --- */

static void axis_label(const struct plot *p, const struct et_axis *a, const struct et_ticks *t)
{
	if (!a->label)
		return;
	et_xml_text(p->out, a->label);
	if (t->above[0])
		et_xml_printf(p->out, " (%s above %s)", t->unit, t->above);
	else if (t->unit)
		et_xml_printf(p->out, " (%s)", t->unit);
}

static void draw_x_axis(const struct plot *p)
{
	double bottom = p->top + p->height;

	fputs("<path class=\"gr\" d=\"", p->out);
	for (size_t i = 0; i < p->x_ticks.n; i++)
		et_xml_coordinates(p->out, "M% %V%", px(p, p->x_ticks.at[i]), p->top, bottom + 4);
	fputs("\"/>\n", p->out);
	for (size_t i = 0; i < p->x_ticks.n; i++)
		text_at(p, px(p, p->x_ticks.at[i]), bottom + 17, "", "middle", p->x_ticks.text[i]);
	et_xml_coordinates(p->out, "<text text-anchor=\"middle\" x=\"%\" y=\"%\">",
		p->left + p->width / 2, bottom + 35);
	axis_label(p, &p->x, &p->x_ticks);
	fputs("</text>\n", p->out);
}

static void draw_y_axis(const struct plot *p)
{
	size_t n = p->y.n_tracks ? p->y.n_tracks : p->y_ticks.n;

	fputs("<path class=\"gr\" d=\"", p->out);
	for (size_t i = 0; i < n; i++) {
		double at = p->y.n_tracks ? (double)i : p->y_ticks.at[i];
		et_xml_coordinates(p->out, "M% %H%", p->left - 4, py(p, at), p->left + p->width);
	}
	fputs("\"/>\n", p->out);
	for (size_t i = 0; i < n; i++) {
		double at = p->y.n_tracks ? (double)i : p->y_ticks.at[i];
		ET_AUTO_FREE char *text = shortened(
			p->y.n_tracks ? p->y.tracks[i] : p->y_ticks.text[i], LONGEST_TRACK);
		text_at(p, p->left - 8, py(p, at) + 4, "", "end", text);
	}
	et_xml_coordinates(p->out,
		"<text text-anchor=\"middle\" transform=\"translate(14 %) rotate(-90)\">",
		p->top + p->height / 2);
	axis_label(p, &p->y, &p->y_ticks);
	fputs("</text>\n", p->out);
}

static void mark_label(const struct plot *p, const struct et_chart_mark *m, double at)
{
	/* The label is on the side of the line that has more room. */
	bool late = at > p->left + p->width / 2;

	if (m->across)
		text_at(p, p->left + p->width - 4, at - 5 < p->top + 9 ? at + 13 : at - 5, "",
			"end", m->label);
	else
		text_at(p, at + (late ? -5 : 5), p->top + 11, "", late ? "end" : "start", m->label);
}

static void draw_mark(const struct plot *p, const struct et_chart_mark *m)
{
	double at = m->across ? py(p, m->at) : px(p, m->at);
	double from = m->across ? p->top : p->left, size = m->across ? p->height : p->width;

	if (!(at >= from - 1e-6 && at <= from + size + 1e-6))
		return;
	if (m->across)
		et_xml_coordinates(p->out, "<path class=\"mk\" d=\"M% %H%\"/>\n", p->left, at,
			p->left + p->width);
	else
		et_xml_coordinates(p->out, "<path class=\"mk\" d=\"M% %V%\"/>\n", at, p->top,
			p->top + p->height);
	if (m->label)
		mark_label(p, m, at);
}

/* --- thinning --- */

/* Stores for each cell how far to the right the values reach that were drawn from there. */
struct sieve {
	uint16_t *reach; /* NULL: the series is not thinned */
	int columns, rows;
	double cell;
};

static bool passes(const struct plot *p, struct sieve *s, double x, double x_end, double y)
{
	if (!s->reach)
		return true;
	int column = et_int((x - p->left) / s->cell), row = et_int((y - p->top) / s->cell);
	int to = et_int((x_end - p->left) / s->cell) + 1;

	column = column < 0 ? 0 : column >= s->columns ? s->columns - 1 : column;
	row = row < 0 ? 0 : row >= s->rows ? s->rows - 1 : row;
	uint16_t *reach = &s->reach[(size_t)row * (size_t)s->columns + (size_t)column];
	if (to <= *reach)
		return false;
	*reach = (uint16_t)(to > UINT16_MAX ? UINT16_MAX : to);
	return true;
}

static struct sieve sieve_for(const struct plot *p, const struct et_curve *s)
{
	struct sieve v = { .cell = s->shape == ET_SVG_POINTS ? CELL : 1 };

	if (s->n <= ET_SVG_MOST)
		return v;
	v.columns = (int)(p->width / v.cell) + 1;
	v.rows = (int)(p->height / v.cell) + 1;
	v.reach = et_calloc((size_t)v.columns * (size_t)v.rows, sizeof(*v.reach));
	return v;
}

/* --- series --- */

/* The mark of each colour, in coordinates relative to its point, which keeps files small. */
static const char *const forms[ET_SVG_COLORS] = { "h0", "m-3-3l6 6m0-6l-6 6", "m-3-3h6v6h-6z",
	"m0-4l4 7h-8z", "m0-4l4 4-4 4-4-4z", "m-4 0h8m-4-4v8", "m-2-2h4v4h-4z" };

static double thickness(const struct plot *p)
{
	return p->y.n_tracks ? fmin(20, 0.6 * p->height / (double)p->y.n_tracks) : 8;
}

/* Writes one value of a series as a part of a path; x, x_end and y are pixels. */
static void piece(const struct plot *p, const struct et_curve *s, double x, double x_end, double y)
{
	double thick = thickness(p), wide = fmax(1, x_end - x);

	switch (s->shape) {
	case ET_SVG_BARS:
		et_xml_coordinates(p->out, "M% %H%V%H%z", x, y, x_end,
			fmin(p->top + p->height, py(p, p->y.log ? p->y.lo : 0)), x);
		break;
	case ET_SVG_SEGMENTS:
		et_xml_coordinates(p->out, "M% %h%v%h%z", x, y - thick / 2, wide, thick, -wide);
		break;
	case ET_SVG_INTERVALS:
		et_xml_coordinates(p->out, "M% %v8m0-4H%m0-4v8", x, y - 4, x_end);
		break;
	case ET_SVG_TICKS:
		et_xml_coordinates(p->out, "M% %v%", x, y - 0.7 * thick, 1.4 * thick);
		break;
	default:
		et_xml_coordinates(p->out, "M% %", x, y);
		fputs(forms[s->color % ET_SVG_COLORS], p->out);
	}
}

/* Computes where a value is drawn, in pixels, clipped to the axes; false: it is not drawn. */
static bool locate(const struct plot *p, const struct et_curve *s, const struct et_dot *d,
	double *x, double *x_end, double *y)
{
	double end = p->left + p->width;

	*x = *x_end = px(p, d->x);
	*y = py(p, d->y);
	if (!has_end(s))
		return inside(p, d->x, d->y);
	*x_end = px(p, d->end);
	if (isnan(*x) || isnan(*x_end) || isnan(*y) || *x_end < *x || *x > end || *x_end < p->left)
		return false;
	*x = fmax(*x, p->left);
	*x_end = fmin(*x_end, end);
	if (s->shape == ET_SVG_BARS)
		*y = fmax(*y, p->top);
	return *y >= p->top && *y <= p->top + p->height;
}

/* Draws the values one by one; each value with a tooltip needs its own path. */
static void draw_pieces(struct plot *p, const struct et_curve *s)
{
	struct sieve v = sieve_for(p, s);
	bool open = false;

	for (size_t i = 0; i < s->n; i++) {
		const char *title = v.reach ? NULL : s->dots[i].title;
		double x, x_end, y;

		if (!locate(p, s, &s->dots[i], &x, &x_end, &y) || !passes(p, &v, x, x_end, y))
			continue;
		p->drawn += v.reach != NULL;
		if (title && open)
			fputs("\"/>\n", p->out);
		if (title || !open)
			fputs("<path d=\"", p->out);
		open = !title;
		piece(p, s, x, x_end, y);
		if (title) {
			fputs("\"><title>", p->out);
			et_xml_text(p->out, title);
			fputs("</title></path>\n", p->out);
		}
	}
	fputs(open ? "\"/>\n" : "", p->out);
	p->thinned += v.reach ? s->n : 0;
	free(v.reach);
}

/* A line being drawn. Thinned: of a column of pixels the first, lowest, highest and last point. */
struct pen {
	bool down;   /* the next point is joined to the last */
	bool bundle; /* the members below describe points that are not yet written */
	double column, first, last, low, high;
	double x, y; /* the last point that was written */
};

static void line_to(struct plot *p, struct pen *pen, double x, double y, bool steps)
{
	if (pen->down && x == pen->x && y == pen->y)
		return;
	et_xml_coordinates(p->out, !pen->down ? "M% %" : steps ? "H%V%" : "L% %", x, y);
	pen->down = true;
	pen->x = x;
	pen->y = y;
	p->drawn++;
}

static void flush(struct plot *p, struct pen *pen, bool steps)
{
	const double y[] = { pen->first, pen->low, pen->high, pen->last };

	for (size_t i = 0; pen->bundle && i < ET_LENGTH(y); i++)
		line_to(p, pen, pen->column, y[i], steps);
	pen->bundle = false;
}

static void bundle(struct plot *p, struct pen *pen, double x, double y, bool steps)
{
	double column = floor(x);

	if (pen->bundle && column != pen->column)
		flush(p, pen, steps);
	if (!pen->bundle) {
		pen->bundle = true;
		pen->column = column;
		pen->first = pen->low = pen->high = y;
	}
	pen->last = y;
	pen->low = fmin(pen->low, y);
	pen->high = fmax(pen->high, y);
}

static void draw_line(struct plot *p, const struct et_curve *s)
{
	bool thin = s->n > ET_SVG_MOST, steps = s->shape == ET_SVG_STEPS;
	size_t drawn = p->drawn;
	struct pen pen = { 0 };

	fputs("<path d=\"", p->out);
	for (size_t i = 0; i < s->n; i++) {
		double x = px(p, s->dots[i].x), y = py(p, s->dots[i].y);
		if (isnan(x) || isnan(y)) {
			flush(p, &pen, steps);
			pen.down = false;
		} else if (thin) {
			bundle(p, &pen, x, y, steps);
		} else {
			line_to(p, &pen, x, y, steps);
		}
	}
	flush(p, &pen, steps);
	fputs("\"/>\n", p->out);
	p->drawn = thin ? p->drawn : drawn;
	p->thinned += thin ? s->n : 0;
}

/* The class of a shape, and its path in the legend, which a mark follows if it has marks. */
static const struct {
	const char *class, *path;
	bool marked;
} looks[] = {
	[ET_SVG_POINTS] = { "pt", "m7 0", true },
	[ET_SVG_LINE] = { "ln", "h14", false },
	[ET_SVG_CURVE] = { "ln", "h14m-7 0", true },
	[ET_SVG_STEPS] = { "ln", "h14", false },
	[ET_SVG_BARS] = { "br", "m1-5h11v10h-11z", false },
	[ET_SVG_SEGMENTS] = { "sg", "m1-5h11v10h-11z", false },
	[ET_SVG_INTERVALS] = { "iv", "m0-3v6m0-3h14m0-3v6", false },
	[ET_SVG_TICKS] = { "tk", "m7-6v12", false },
};

static void group(const struct plot *p, const struct et_curve *s, enum et_svg_shape shape)
{
	unsigned color = s->color % ET_SVG_COLORS;
	bool dots = shape == ET_SVG_POINTS && color == 0;

	fprintf(p->out, "<g class=\"c%u %s%s\">\n", color, looks[shape].class, dots ? " p0" : "");
}

/* A vertical line from lo to hi at each x. */
static void draw_limits(const struct plot *p, const struct et_curve *s)
{
	group(p, s, ET_SVG_LINE);
	fputs("<path d=\"", p->out);
	for (size_t i = 0; i < s->n; i++) {
		const struct et_dot *d = &s->dots[i];
		double x = px(p, d->x), lo = py(p, d->lo), hi = py(p, d->hi);
		if (!isnan(x) && !isnan(lo) && !isnan(hi))
			et_xml_coordinates(p->out, "M% %L% %", x, lo, x, hi);
	}
	fputs("\"/>\n</g>\n", p->out);
}

static void draw_series(struct plot *p, const struct et_curve *s)
{
	bool line = s->shape == ET_SVG_LINE || s->shape == ET_SVG_STEPS || s->shape == ET_SVG_CURVE;
	struct et_curve points = *s;

	if (!s->n)
		return;
	if (s->limits)
		draw_limits(p, s);
	if (line) {
		group(p, s, s->shape);
		draw_line(p, s);
		fputs("</g>\n", p->out);
		points.shape = ET_SVG_POINTS;
	}
	if (line && (s->shape != ET_SVG_CURVE || s->n > ET_SVG_MOST))
		return;
	group(p, &points, points.shape);
	draw_pieces(p, &points);
	fputs("</g>\n", p->out);
}

/* Draws all series, clipped to the area between the axes plus OVERHANG. */
static void draw_all(struct plot *p)
{
	double x = p->left - OVERHANG, y = p->top - OVERHANG;
	double width = p->width + 2 * OVERHANG, height = p->height + 2 * OVERHANG;

	et_xml_coordinates(p->out,
		"<svg x=\"%\" y=\"%\" width=\"%\" height=\"%\" viewBox=\"% % % %\">\n", x, y, width,
		height, x, y, width, height);
	for (size_t i = 0; i < p->c->n_curves; i++)
		draw_series(p, p->c->curves[i]);
	fputs("</svg>\n", p->out);
}

static void draw_legend(const struct plot *p)
{
	int x = 0, row = 0;

	for (size_t i = 0; i < p->c->n_curves; i++) {
		const struct et_curve *s = p->c->curves[i];
		if (!s->name)
			continue;
		double at = LINE + place_entry(p, s, &x, &row), y = LINE * (row + 2) - 1;
		group(p, s, s->shape);
		et_xml_coordinates(p->out, "<path d=\"M% %", at, y);
		fprintf(p->out, "%s%s\"/></g>\n", looks[s->shape].path,
			looks[s->shape].marked ? forms[s->color % ET_SVG_COLORS] : "");
		ET_AUTO_FREE char *name = shortened(s->name, LONGEST_NAME);
		text_at(p, at + 18, y + 4, "", "start", name);
	}
}

static void head(const struct plot *p)
{
	const struct et_chart *c = p->c;

	fprintf(p->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"et\" role=\"img\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
		p->page_width, p->page_height, p->page_width, p->page_height);
	et_xml_text(p->out, c->title);
	fputs("</title>\n", p->out);
	if (c->description) {
		fputs("<desc>", p->out);
		et_xml_text(p->out, c->description);
		fputs("</desc>\n", p->out);
	}
}

/* Draws the title, the legend and the axes. */
static void draw_around(struct plot *p)
{
	fprintf(p->out, "<path class=\"bg\" d=\"M0 0H%dV%dH0z\"/>\n", p->page_width,
		p->page_height);
	ET_AUTO_FREE char *title = shortened(p->c->title, (int)(p->page_width / 8.4));
	text_at(p, LINE, LINE + 2, "tt", "start", title);
	draw_legend(p);
	draw_x_axis(p);
	draw_y_axis(p);
}

static void lay_out_bare(struct plot *p)
{
	p->page_width = p->c->width;
	p->page_height = p->c->height;
	p->left = EDGE;
	p->top = EDGE / 2.0;
	p->width = p->page_width - 2 * EDGE;
	p->height = p->page_height - EDGE;
}

void et_svg_write(const struct et_chart *c, bool alone, FILE *out)
{
	struct plot p = { .c = c, .out = out };

	if (alone)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	fit(&p);
	if (c->bare)
		lay_out_bare(&p);
	else
		lay_out(&p);
	head(&p);
	if (alone)
		fputs("<style>" ET_SVG_STYLE "</style>\n", out);
	if (!c->bare)
		draw_around(&p);
	draw_all(&p);
	if (!c->bare)
		et_xml_coordinates(out, "<path class=\"ax\" d=\"M% %V%H%\"/>\n", p.left, p.top,
			p.top + p.height, p.left + p.width);
	for (size_t i = 0; i < c->n_marks; i++)
		draw_mark(&p, &c->marks[i]);
	if (p.thinned) {
		ET_AUTO_FREE char *note =
			et_asprintf("%zu values, thinned to the %zu that show", p.thinned, p.drawn);
		text_at(&p, p.page_width - 6, p.page_height - 4, "", "end", note);
	}
	fputs("</svg>\n", out);
}
