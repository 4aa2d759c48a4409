/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/plot.h"
#include "base/alloc.h"
#include "base/whole.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Replace the letters where points of several curves, or with several marks, meet. */
#define SEVERAL '#'
#define SEVERAL_POINTS '*'

enum {
	ROWS = 11,
	LEAST_CELLS = 24,
	MOST_CELLS = 64,
	MARGIN = 7,
	WIDE_MARGIN = 10, /* has room for "0.0001 %" and "100 µs" */
	ACROSS = 2,
	DOWN = 4,
	NARROWEST = 10, /* columns of a scatter plot */
};

/* --- cells --- */

struct canvas {
	int columns, rows;
	unsigned char *dots; /* a Unicode braille pattern per cell */
	char *marks;         /* letters that replace the dots; 0: none */
};

static struct canvas canvas_new(int columns, int rows)
{
	size_t cells = (size_t)columns * (size_t)rows;

	return (struct canvas){ columns, rows, et_calloc(cells, 1), et_calloc(cells, 1) };
}

static void canvas_free(struct canvas *c)
{
	free(c->dots);
	free(c->marks);
}

/* across and down count dots from the left and from the top. */
static size_t cell_at(const struct canvas *c, int across, int down)
{
	return (size_t)(down / DOWN) * (size_t)c->columns + (size_t)(across / ACROSS);
}

static void set(struct canvas *c, int across, int down)
{
	/* Unicode's order of the eight dots of a cell. */
	static const unsigned char bit[DOWN][ACROSS] = { { 1, 8 }, { 2, 16 }, { 4, 32 },
		{ 64, 128 } };

	if (across >= 0 && across < c->columns * ACROSS && down >= 0 && down < c->rows * DOWN)
		c->dots[cell_at(c, across, down)] |= bit[down % DOWN][across % ACROSS];
}

/* Returns whether another mark was there, which `several` replaces. */
static bool mark(struct canvas *c, size_t cell, char with, char several)
{
	bool met = c->marks[cell] && c->marks[cell] != with;

	c->marks[cell] = met ? several : with;
	return met;
}

/* Ends the line; nothing is printed after the last dot. */
static void print_cells(const struct canvas *c, int row, const struct et_page *page, bool colored)
{
	const unsigned char *dots = c->dots + row * c->columns;
	const char *marks = c->marks + row * c->columns;
	int end = c->columns;

	while (end > 0 && !dots[end - 1] && !marks[end - 1])
		end--;
	for (int i = 0; i < end; i++) {
		/* U+2800 + pattern, in UTF-8. */
		if (marks[i] && colored && page->color)
			fprintf(page->out, "\033[33m%c\033[0m", marks[i]);
		else if (marks[i] || !dots[i])
			putc(marks[i] ? marks[i] : ' ', page->out);
		else
			fprintf(page->out, "\xe2%c%c", 0xa0 | dots[i] >> 6,
				0x80 | (dots[i] & 0x3f));
	}
	putc('\n', page->out);
}

static void print_line(int indent, int columns, FILE *out)
{
	fprintf(out, "%*s└", indent, "");
	for (int i = 0; i < columns; i++)
		fputs("─", out);
	putc('\n', out);
}

/* --- curves --- */

struct plot {
	struct canvas cells;
	double lo, hi;  /* the ends of the x axis: logarithms unless it is linear */
	bool linear;    /* of the x axis */
	double top;     /* the upper end of the y axis */
	bool several;   /* points of different curves meet somewhere */
	int decades;    /* of a logarithmic y axis; 0: it is linear, from 0 */
	bool is_signed; /* the y axis is logarithmic on both sides of 0 */
	enum et_axis_unit unit;
	int margin;                           /* columns before the y axis */
	bool compact;                         /* the legend is one paragraph */
	bool points;                          /* not joined; the x axis has whole decades */
	const struct et_curve_limits *limits; /* one per curve; NULL: none */
	int beside; /* cells by which the curve is drawn to the right of its x */
};

static int across_of(const struct plot *c, double x)
{
	double at = c->linear ? x : log(x);
	double share = c->hi > c->lo ? (at - c->lo) / (c->hi - c->lo) : 0.5;

	return et_int(round(share * (c->cells.columns * ACROSS - 1))) + c->beside * ACROSS;
}

/* The signed axis has two rows per decade beyond this error: three decades up, two down. */
static const double LINEAR = 0.01;
enum { UP = 3, BELOW = 2 };

static double signed_share(double y)
{
	return (BELOW + copysign(log10(1 + fabs(y) / LINEAR), y)) / (UP + BELOW);
}

static int down_of(const struct plot *c, double y)
{
	double share = c->is_signed ? signed_share(y)
		       : c->decades ? 1 + log10(fmax(y, DBL_MIN) / c->top) / c->decades
				    : y / c->top;

	return (int)lround((1 - fmin(1, fmax(0, share))) * (ROWS * DOWN - 1));
}

static void join(struct plot *c, int x0, int y0, int x1, int y1)
{
	int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

	for (int i = 0; i <= steps; i++) {
		double share = steps ? (double)i / steps : 0;
		set(&c->cells, (int)lround(x0 + share * (x1 - x0)),
			(int)lround(y0 + share * (y1 - y0)));
	}
}

/* The index of a point's cell. */
static size_t cell_of(const struct plot *c, double x, double y)
{
	return cell_at(&c->cells, across_of(c, x), down_of(c, y));
}

static void draw_curve(struct plot *c, const double *x, size_t n, const struct et_curve *curve,
	const struct et_curve_limits *limits)
{
	for (size_t i = 0; i < n; i++) {
		if (isnan(curve->y[i]))
			continue;
		int at = across_of(c, x[i]), down = down_of(c, curve->y[i]);
		if (limits && limits->lo[i] > 0 && isfinite(limits->hi[i]))
			join(c, at, down_of(c, limits->lo[i]), at, down_of(c, limits->hi[i]));
		if (i > 0 && !c->points && !limits && !isnan(curve->y[i - 1]))
			join(c, across_of(c, x[i - 1]), down_of(c, curve->y[i - 1]), at, down);
		if (curve->mark &&
			mark(&c->cells, cell_of(c, x[i], curve->y[i]), curve->mark, SEVERAL))
			c->several = true;
	}
}

/* Whether two curves have the same points in the same cells, so that they look like one. */
static bool coincide(const struct plot *c, const double *x, size_t n, const struct et_curve *a,
	const struct et_curve *b)
{
	bool seen = false;

	for (size_t i = 0; i < n; i++) {
		bool there = !isnan(a->y[i]);
		if (there != !isnan(b->y[i]) ||
			(there && cell_of(c, x[i], a->y[i]) != cell_of(c, x[i], b->y[i])))
			return false;
		seen = seen || there;
	}
	return seen;
}

/* The text of a curve in the legend. Caller frees. */
static char *legend_of(const struct plot *c, const double *x, size_t n,
	const struct et_curve *curves, size_t which)
{
	size_t twin = 0;

	while (twin < which &&
		(!curves[twin].mark || !coincide(c, x, n, &curves[twin], &curves[which])))
		twin++;
	return twin < which ? et_asprintf("%s: same as %c", curves[which].label, curves[twin].mark)
			    : et_strdup(curves[which].label);
}

static void print_compact_legend(const struct plot *c, const double *x, size_t n,
	const struct et_curve *curves, size_t n_curves, const struct et_page *page)
{
	ET_AUTO_FREE char *all = NULL, *lead = et_asprintf("%*s", c->margin, "");

	for (size_t i = 0; i < n_curves; i++) {
		if (!curves[i].mark)
			continue;
		ET_AUTO_FREE char *label = legend_of(c, x, n, curves, i);
		et_append(&all, ", ", "%c %s", curves[i].mark, label);
	}
	if (c->several)
		et_append(&all, ", ", "%c several curves", SEVERAL);
	et_page_paragraph(page, c->margin + 1, lead, NULL, all, NULL);
}

static void print_legend(const struct plot *c, const double *x, size_t n,
	const struct et_curve *curves, size_t n_curves, const struct et_page *page)
{
	for (size_t i = 0; i < n_curves; i++) {
		if (!curves[i].label)
			continue;
		char lead[WIDE_MARGIN + 8];
		snprintf(lead, sizeof(lead), "%*s%s", c->margin + 1, "",
			curves[i].mark ? (char[]){ curves[i].mark, '\0' } : "⠒");
		ET_AUTO_FREE char *label = legend_of(c, x, n, curves, i);
		et_page_paragraph(page, c->margin + 3, lead, NULL, label, NULL);
	}
	if (c->several)
		fprintf(page->out, "%*s%c several curves\n", c->margin + 1, "", SEVERAL);
}

/* The label of a row: on a linear axis of 0, the middle and the top, else of decades. */
static const char *row_label(const struct plot *c, int row, char buf[ET_FIGURE])
{
	*buf = '\0';
	if (c->is_signed) {
		int decade = UP - row / 2;
		if (row % 2 == 0)
			snprintf(buf, ET_FIGURE, decade ? "%+.4g %%" : "%.4g %%",
				decade ? copysign(pow(10, abs(decade)), decade) : 0.0);
		return buf;
	}
	double share = c->top * (1 - row / (ROWS - 1.0));
	if (!c->decades && row % (ROWS / 2) == 0)
		snprintf(buf, ET_FIGURE, c->unit == ET_AXIS_SHARE ? "%.3g %%" : "%.3g",
			(c->unit == ET_AXIS_SHARE ? 100 : 1) * share);
	for (int d = 0; d <= c->decades && c->decades; d++) {
		if ((int)lround((double)d * (ROWS - 1) / c->decades) != row)
			continue;
		double at = c->top * pow(10, -d);
		if (c->unit == ET_AXIS_NS)
			et_format_rounded(at, 1, buf);
		else if (c->unit == ET_AXIS_NUMBER)
			snprintf(buf, ET_FIGURE, "%.4g", at);
		else
			snprintf(buf, ET_FIGURE, "%.4g %%", 100 * at);
	}
	return buf;
}

static void print_row(const struct plot *c, int row, const struct et_page *page)
{
	char label[ET_FIGURE];
	int columns = et_columns(row_label(c, row, label));

	fprintf(page->out, "%*s%s │", c->margin - 1 - columns, "", label);
	print_cells(&c->cells, row, page, false);
}

static void print_axis(
	const struct plot *c, const double *x, size_t n, const char *label, FILE *out)
{
	ET_AUTO_FREE char *line = et_alloc((size_t)c->cells.columns + 16);
	int free_from = 0;

	print_line(c->margin, c->cells.columns, out);
	memset(line, ' ', (size_t)c->cells.columns + 15);
	line[c->cells.columns + 15] = '\0';
	for (size_t i = 0; i < n; i++) {
		char text[24];
		int width = snprintf(text, sizeof(text), "%.4g", x[i]);
		int at = across_of(c, x[i]) / ACROSS - width / 2;
		at = at < free_from ? free_from : at;
		if (at + width > c->cells.columns + 14)
			break;
		memcpy(line + at, text, (size_t)width);
		free_from = at + width + 1;
	}
	line[free_from > 0 ? free_from - 1 : 0] = '\0';
	fprintf(out, "%*s%s  %s\n", c->margin + 1, "", line, label);
}

/* Labels round numbers, because a linear plot has many points. */
static void print_linear_axis(const struct plot *c, const char *label, FILE *out)
{
	enum { WANTED = 6 };
	struct et_axis axis =
		et_axis_fit(&(struct et_axis){ .lo = c->lo, .hi = c->hi }, c->lo, c->hi);
	struct et_ticks ticks;

	et_axis_ticks(&axis, WANTED, &ticks);
	print_axis(c, ticks.at, ticks.n, label, out);
}

static void print_decades(
	const struct plot *c, double first, double last, const char *label, FILE *out)
{
	enum { MOST = 16 };
	double at[MOST];
	size_t n = 0;

	for (double x = first; n < MOST && x <= last * 1.001; x *= 10)
		at[n++] = x;
	print_axis(c, at, n, label, out);
}

/* Makes room at both ends of the x axis for curves that are drawn beside their x. */
static void make_room(struct plot *c, int curves)
{
	double room = (c->hi - c->lo) * curves / 2 / (c->cells.columns - curves);

	c->lo -= room;
	c->hi += room;
}

static void draw_curves(
	struct plot *c, const double *x, size_t n, const struct et_curve *curves, size_t n_curves)
{
	if (c->limits)
		make_room(c, (int)n_curves);
	for (size_t i = 0; i < n_curves; i++) {
		c->beside = c->limits ? (int)i - (int)n_curves / 2 : 0;
		draw_curve(c, x, n, &curves[i], c->limits ? &c->limits[i] : NULL);
	}
	c->beside = 0;
}

static void draw(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	struct plot c, const char *x_label, const struct et_page *page)
{
	c.margin = c.compact || c.is_signed ? WIDE_MARGIN : MARGIN;
	int columns = page->width - c.margin - 14;
	if (!n || columns < LEAST_CELLS)
		return;
	c.cells = canvas_new(columns > MOST_CELLS ? MOST_CELLS : columns, ROWS);
	double first = c.points ? pow(10, floor(log10(x[0]))) : x[0];
	double last = c.points ? pow(10, ceil(log10(x[n - 1]))) : x[n - 1];
	c.lo = c.linear ? first : log(first);
	c.hi = c.linear ? last : log(last);
	draw_curves(&c, x, n, curves, n_curves);
	for (int row = 0; row < ROWS; row++)
		print_row(&c, row, page);
	if (c.linear)
		print_linear_axis(&c, x_label, page->out);
	else if (c.points)
		print_decades(&c, first, last, x_label, page->out);
	else
		print_axis(&c, x, n, x_label, page->out);
	if (c.compact)
		print_compact_legend(&c, x, n, curves, n_curves, page);
	else
		print_legend(&c, x, n, curves, n_curves, page);
	canvas_free(&c.cells);
}

void et_plot_shares(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page)
{
	struct plot c = { .top = 1, .unit = ET_AXIS_SHARE };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_errors(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page)
{
	struct plot c = { .top = 10, .decades = ROWS / 2, .unit = ET_AXIS_SHARE };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_signed_errors(const double *x, size_t n, const struct et_curve *curves,
	size_t n_curves, const char *x_label, const struct et_page *page)
{
	_Static_assert(ROWS == 2 * (UP + BELOW) + 1, "two rows per decade");
	struct plot c = { .is_signed = true };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_error_points(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page)
{
	struct plot c = { .top = 10, .decades = ROWS / 2, .unit = ET_AXIS_SHARE, .points = true };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_log_intervals(const double *x, size_t n, const struct et_curve *curves,
	const struct et_curve_limits *limits, size_t n_curves, enum et_axis_unit unit,
	const char *x_label, const struct et_page *page)
{
	struct plot c = { .unit = unit, .compact = true, .limits = limits };
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n_curves; i++) {
		const double *ends[] = { curves[i].y, limits ? limits[i].lo : NULL,
			limits ? limits[i].hi : NULL };
		for (size_t k = 0; k < n * ET_LENGTH(ends); k++) {
			double y = ends[k / n] ? ends[k / n][k % n] : NAN;
			if (y > 0 && isfinite(y)) {
				least = fmin(least, y);
				most = fmax(most, y);
			}
		}
	}
	if (!(most > 0))
		return;
	int top = et_int(ceil(log10(most) - 1e-9)), bottom = et_int(floor(log10(least) + 1e-9));
	c.decades = top - bottom < 1 ? 1 : top - bottom > ROWS - 1 ? ROWS - 1 : top - bottom;
	c.top = pow(10, top);
	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_log(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	enum et_axis_unit unit, const char *x_label, const struct et_page *page)
{
	et_plot_log_intervals(x, n, curves, NULL, n_curves, unit, x_label, page);
}

void et_plot_numbers(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	double top, const char *x_label, const struct et_page *page)
{
	struct plot c = { .top = top, .unit = ET_AXIS_NUMBER, .linear = true };

	draw(x, n, curves, n_curves, c, x_label, page);
}

/* --- scatter --- */

static int place(const struct et_scatter *s, double v, int dots)
{
	double share = s->hi > s->lo ? (v - s->lo) / (s->hi - s->lo) : 0.5;
	int at = et_int(share * dots);

	return at < 0 ? 0 : at >= dots ? dots - 1 : at;
}

static bool inside(const struct et_scatter *s, double v)
{
	return isfinite(v) && v >= s->lo && v <= s->hi;
}

/* Returns the number of points inside the axes. */
static size_t fill(struct canvas *c, const struct et_scatter *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!inside(s, s->x[i]) || !inside(s, s->y[i]))
			continue;
		int x = place(s, s->x[i], c->columns * ACROSS);
		int y = c->rows * DOWN - 1 - place(s, s->y[i], c->rows * DOWN);
		set(c, x, y);
		if (s->marks && s->marks[i])
			mark(c, cell_at(c, x, y), s->marks[i], SEVERAL_POINTS);
		n++;
	}
	return n;
}

/* The two ends in one unit, with two digits more than a tenth of their distance needs. */
static void format_ends(const struct et_scatter *s, char lo[ET_FIGURE], char hi[ET_FIGURE])
{
	struct et_scale scale = et_scale_of(s->hi, (s->hi - s->lo) / 10);
	char number[ET_FIGURE];

	snprintf(lo, ET_FIGURE, "%.80s %s", et_scale_number(scale, s->lo, number), scale.unit);
	snprintf(hi, ET_FIGURE, "%.80s %s", et_scale_number(scale, s->hi, number), scale.unit);
}

/* Draws the lower axis with the values of its ends and its name below. */
static void draw_ends(const struct et_scatter *s, const struct canvas *c,
	const struct et_page *page, int indent, const char *lo, const char *hi)
{
	int gap = c->columns + 1 - et_columns(lo) - et_columns(hi);

	print_line(indent, c->columns, page->out);
	fprintf(page->out, "%*s%s%*s%s\n", indent, "", lo, gap > 1 ? gap : 1, "", hi);
	if (s->x_label)
		fprintf(page->out, "%*s%s\n", indent, "", s->x_label);
}

void et_scatter_draw(const struct et_scatter *s, const struct et_page *page, int indent, int width)
{
	char lo[ET_FIGURE], hi[ET_FIGURE];

	format_ends(s, lo, hi);
	int a = et_columns(lo), b = et_columns(hi), label = a > b ? a : b;
	int columns = width - label - 2;

	if (columns < NARROWEST)
		return;
	struct canvas c = canvas_new(columns, columns / 2);
	size_t n = fill(&c, s);
	if (n && s->y_label)
		fprintf(page->out, "%*s%s\n", indent, "", s->y_label);
	for (int row = 0; n && row < c.rows; row++) {
		const char *text = row == 0 ? hi : row == c.rows - 1 ? lo : "";
		fprintf(page->out, "%*s%s%s", indent + label - et_columns(text), "", text,
			*text ? " ┤" : " │");
		print_cells(&c, row, page, true);
	}
	if (n)
		draw_ends(s, &c, page, indent + label + 1, lo, hi);
	canvas_free(&c);
}
