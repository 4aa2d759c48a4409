/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/chart.h"
#include "base/memstream.h"
#include "base/whole.h"
#include "draw/xml.h"

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

/* Curves with limits: each is a hundredth of the (logarithmic) axis right of the last one. */
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

/* --- axes --- */

/* Outside of these bounds the arithmetic of an axis and its ticks would overflow a double. */
#define LEAST 1e-300
#define MOST 1e300

static bool usable(const struct et_axis *a)
{
	return isfinite(a->lo) && isfinite(a->hi) && a->lo < a->hi && fabs(a->lo) < MOST &&
	       fabs(a->hi) < MOST && (!a->log || a->lo >= LEAST);
}

struct et_axis et_axis_fit(const struct et_axis *a, double lo, double hi)
{
	enum { ROOM = 25 }; /* the margin at each end is the range divided by this */
	struct et_axis f = *a;

	if (f.n_tracks) {
		f.lo = -0.5;
		f.hi = (double)f.n_tracks - 0.5;
		f.log = false;
		return f;
	}
	if (usable(&f))
		return f;
	if (!isfinite(lo) || !isfinite(hi) || lo > hi || (f.log && lo < LEAST)) {
		f.lo = f.log ? 1 : 0;
		f.hi = f.log ? 10 : 1;
		return f;
	}
	lo = fmax(lo, -MOST / 4);
	hi = fmin(hi, MOST / 4);
	if (f.log) {
		double factor = hi > lo ? pow(hi / lo, 1.0 / ROOM) : 2;
		f.lo = fmax(LEAST, lo / factor);
		f.hi = hi * factor;
		return f;
	}
	/* Differences within the rounding error of a double count as none. */
	double room = hi - lo > 1e-12 * fabs(hi) ? (hi - lo) / ROOM : hi != 0 ? fabs(hi) / 10 : 0.5;
	f.lo = lo >= 0 ? fmax(0, lo - room) : lo - room;
	f.hi = hi + room;
	return f;
}

double et_axis_share(const struct et_axis *a, double x)
{
	if (!isfinite(x) || (a->log && x <= 0))
		return NAN;
	if (a->log)
		return log(x / a->lo) / log(a->hi / a->lo);
	return (x - a->lo) / (a->hi - a->lo);
}

static void add(struct et_ticks *t, double at, const char *text)
{
	/* A step below the precision of a double repeats a value. */
	if (t->n && !strcmp(t->text[t->n - 1], text))
		return;
	if (t->n < ET_MOST_TICKS) {
		t->at[t->n] = at;
		snprintf(t->text[t->n++], ET_FIGURE, "%s", text);
	}
}

/* The smallest step of 1, 2 or 5 times a power of ten that gives at most `wanted` ticks. */
static double step_of(double range, int wanted)
{
	double least = range / wanted, power = pow(10, floor(log10(least)));
	static const double nice[] = { 1, 2, 5 };

	for (size_t i = 0; i < ET_LENGTH(nice); i++) {
		/* A rounding error must not select the next larger step. */
		if (nice[i] * power >= least * (1 - 1e-9))
			return nice[i] * power;
	}
	return 10 * power;
}

static int decimals_of(double step)
{
	int decimals = -et_int(floor(log10(step) + 1e-9));

	return decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
}

/* The significant digits by which x differs from a value one step away. */
static int digits_of(double x, double step)
{
	int digits = x != 0 ? et_int(ceil(log10(fabs(x) / step) + 1e-9)) + 1 : 1;

	return digits < 6 ? 6 : digits > 17 ? 17 : digits;
}

/* A number with as many decimals as the step needs, in the unit of the axis. */
static void label(const struct et_axis *a, struct et_scale s, double x, double step, char *buf)
{
	char number[ET_FIGURE];

	if (a->unit == ET_AXIS_NS) {
		s.decimals = decimals_of(step / pow(10, s.exponent));
		snprintf(buf, ET_FIGURE, "%s%.80s", x < 0 ? "-" : "",
			et_scale_number(s, fabs(x), number));
		return;
	}
	if (a->unit == ET_AXIS_SHARE) {
		x *= 100;
		step *= 100;
	}
	if (fabs(x) >= 1e6 || step < 1e-6)
		snprintf(buf, ET_FIGURE, "%.*g", digits_of(x, step), x);
	else
		snprintf(buf, ET_FIGURE, "%.*f", decimals_of(step), x);
}

/*
 * Times far from 0 and close to each other, such as 128.2440 s and 128.2445 s, have too many
 * digits. The ticks then show their distance from a round value below all of them, which this
 * returns and describes in `above`; else 0. Axes with the same ends have the same kind of ticks.
 */
static double round_base(const struct et_axis *a, struct et_ticks *t)
{
	enum { ROOM = 7, DENSE = 20 }; /* characters, as in 128.244; more ticks than there are */
	struct et_scale s = et_scale_of(a->hi, NAN);
	double power = pow(10, ceil(log10(a->hi - a->lo) - 1e-9));
	double base = floor(a->lo / power * (1 + 1e-12)) * power;
	char text[ET_FIGURE];

	if (a->unit != ET_AXIS_NS || !(base > 0))
		return 0;
	label(a, s, a->hi, power / DENSE, text);
	if (strlen(text) <= ROOM)
		return 0;
	s.decimals = decimals_of(power / pow(10, s.exponent));
	snprintf(t->above, sizeof(t->above), "%.80s %s", et_scale_number(s, base, text), s.unit);
	return base;
}

static void linear_ticks(const struct et_axis *a, int wanted, struct et_ticks *t)
{
	double step = step_of(a->hi - a->lo, wanted), base = round_base(a, t);
	struct et_scale s = et_scale_of(fmax(fabs(a->lo - base), fabs(a->hi - base)), NAN);
	double first = ceil((a->lo - base) / step - 1e-9);
	char buf[ET_FIGURE];

	t->unit = a->unit == ET_AXIS_NS ? s.unit : a->unit == ET_AXIS_SHARE ? "%" : NULL;
	for (int i = 0; i < ET_MOST_TICKS; i++) {
		double x = (first + i) * step;
		if (base + x > a->hi + 1e-9 * step)
			break;
		x = fabs(x) < step / 2 ? 0 : x; /* no -0 */
		label(a, s, x, step, buf);
		add(t, base + x, buf);
	}
}

static void log_label(const struct et_axis *a, double x, char *buf)
{
	if (a->unit == ET_AXIS_NS && x >= 1)
		et_format_rounded(x, 1, buf);
	else if (a->unit == ET_AXIS_NS)
		snprintf(buf, ET_FIGURE, "%.3g ns", x);
	else if (a->unit == ET_AXIS_SHARE)
		snprintf(buf, ET_FIGURE, "%.6g %%", 100 * x);
	else
		snprintf(buf, ET_FIGURE, "%.6g", x);
}

static void log_ticks(const struct et_axis *a, int wanted, struct et_ticks *t)
{
	double decades = log10(a->hi / a->lo);
	int first = et_int(floor(log10(a->lo))), every = 1 + et_int(decades / wanted);
	static const double within[] = { 1, 2, 5 };
	size_t n = decades * 3 <= wanted ? 3 : 1;
	char buf[ET_FIGURE];

	for (int e = first; e <= first + et_int(decades) + 1; e += every) {
		for (size_t i = 0; i < n; i++) {
			double x = within[i] * pow(10, e);
			if (x < a->lo * (1 - 1e-9) || x > a->hi * (1 + 1e-9))
				continue;
			log_label(a, x, buf);
			add(t, x, buf);
		}
	}
}

void et_axis_ticks(const struct et_axis *a, int wanted, struct et_ticks *out)
{
	memset(out, 0, sizeof(*out));
	wanted = wanted < 2 ? 2 : wanted > ET_MOST_TICKS / 2 ? ET_MOST_TICKS / 2 : wanted;
	for (; out->n < a->n_tracks && out->n < ET_MOST_TICKS; out->n++) {
		out->at[out->n] = (double)out->n;
		snprintf(out->text[out->n], ET_FIGURE, "%s", a->tracks[out->n]);
	}
	if (out->n)
		return;
	if (!a->log || a->hi / a->lo < 2) {
		linear_ticks(a, wanted, out);
		return;
	}
	log_ticks(a, wanted, out);
	/* An axis of less than two decades may contain a single power of ten. */
	if (out->n < 2) {
		memset(out, 0, sizeof(*out));
		linear_ticks(a, wanted, out);
	}
}
