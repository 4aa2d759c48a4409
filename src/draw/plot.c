/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/plot.h"
#include "base/alloc.h"
#include "base/whole.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SEVERAL '#' /* replaces the letters where points of several curves meet */

enum {
	ROWS = 11,
	LEAST_CELLS = 24,
	MOST_CELLS = 64,
	MARGIN = 7,
	WIDE_MARGIN = 10, /* has room for "0.0001 %" and "100 µs" */
	ACROSS = 2,
	DOWN = 4,
};

struct canvas {
	int cells;           /* in a row */
	unsigned char *dots; /* braille patterns, one byte per cell */
	char *marks;         /* letters that replace the dots; 0: none */
	double lo, hi;       /* the ends of the x axis: logarithms unless it is linear */
	bool linear;         /* of the x axis */
	double top;          /* the upper end of the y axis */
	bool several;        /* points of different curves meet somewhere */
	int decades;         /* of a logarithmic y axis; 0: it is linear, from 0 */
	bool is_signed;      /* the y axis is logarithmic on both sides of 0 */
	enum et_axis_unit unit;
	int margin;                           /* columns before the y axis */
	bool compact;                         /* the legend is one paragraph */
	bool points;                          /* not joined; the x axis has whole decades */
	const struct et_curve_limits *limits; /* one per curve; NULL: none */
	int beside; /* cells by which the curve is drawn to the right of its x */
};

/* across and down count dots from the left and from the top. */
static void set(struct canvas *c, int across, int down)
{
	/* Unicode's order of the eight dots of a cell. */
	static const unsigned char bit[DOWN][ACROSS] = { { 1, 8 }, { 2, 16 }, { 4, 32 },
		{ 64, 128 } };

	if (across >= 0 && across < c->cells * ACROSS && down >= 0 && down < ROWS * DOWN)
		c->dots[down / DOWN * c->cells + across / ACROSS] |=
			bit[down % DOWN][across % ACROSS];
}

static int across_of(const struct canvas *c, double x)
{
	double at = c->linear ? x : log(x);
	double share = c->hi > c->lo ? (at - c->lo) / (c->hi - c->lo) : 0.5;

	return et_int(round(share * (c->cells * ACROSS - 1))) + c->beside * ACROSS;
}

/* The signed axis has two rows per decade beyond this error: three decades up, two down. */
static const double LINEAR = 0.01;
enum { UP = 3, BELOW = 2 };

static double signed_share(double y)
{
	return (BELOW + copysign(log10(1 + fabs(y) / LINEAR), y)) / (UP + BELOW);
}

static int down_of(const struct canvas *c, double y)
{
	double share = c->is_signed ? signed_share(y)
		       : c->decades ? 1 + log10(fmax(y, DBL_MIN) / c->top) / c->decades
				    : y / c->top;

	return (int)lround((1 - fmin(1, fmax(0, share))) * (ROWS * DOWN - 1));
}

static void join(struct canvas *c, int x0, int y0, int x1, int y1)
{
	int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

	for (int i = 0; i <= steps; i++) {
		double share = steps ? (double)i / steps : 0;
		set(c, (int)lround(x0 + share * (x1 - x0)), (int)lround(y0 + share * (y1 - y0)));
	}
}

/* The index of a point's cell. */
static size_t cell_of(const struct canvas *c, double x, double y)
{
	return (size_t)(down_of(c, y) / DOWN * c->cells + across_of(c, x) / ACROSS);
}

static void draw_curve(struct canvas *c, const double *x, size_t n, const struct et_curve *curve,
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
		if (!curve->mark)
			continue;
		char *mark = &c->marks[cell_of(c, x[i], curve->y[i])];
		bool met = *mark && *mark != curve->mark;
		*mark = met ? SEVERAL : curve->mark;
		c->several = c->several || met;
	}
}

/* Whether two curves have the same points in the same cells, so that they look like one. */
static bool coincide(const struct canvas *c, const double *x, size_t n, const struct et_curve *a,
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
static char *legend_of(const struct canvas *c, const double *x, size_t n,
	const struct et_curve *curves, size_t which)
{
	size_t twin = 0;

	while (twin < which &&
		(!curves[twin].mark || !coincide(c, x, n, &curves[twin], &curves[which])))
		twin++;
	return twin < which ? et_asprintf("%s: same as %c", curves[which].label, curves[twin].mark)
			    : et_strdup(curves[which].label);
}

static void print_compact_legend(const struct canvas *c, const double *x, size_t n,
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

static void print_legend(const struct canvas *c, const double *x, size_t n,
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
static const char *row_label(const struct canvas *c, int row, char buf[ET_FIGURE])
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

static void print_row(const struct canvas *c, int row, FILE *out)
{
	int end = c->cells;

	char label[ET_FIGURE];
	int columns = et_columns(row_label(c, row, label));

	fprintf(out, "%*s%s │", c->margin - 1 - columns, "", label);
	while (end > 0 && !c->dots[row * c->cells + end - 1] && !c->marks[row * c->cells + end - 1])
		end--;
	for (int i = 0; i < end; i++) {
		unsigned char dots = c->dots[row * c->cells + i];
		char mark = c->marks[row * c->cells + i];
		/* U+2800 + pattern, in UTF-8. */
		if (mark)
			putc(mark, out);
		else if (dots)
			fprintf(out, "\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f));
		else
			putc(' ', out);
	}
	putc('\n', out);
}

static void print_axis(
	const struct canvas *c, const double *x, size_t n, const char *label, FILE *out)
{
	ET_AUTO_FREE char *line = et_alloc((size_t)c->cells + 16);
	int free_from = 0;

	fprintf(out, "%*s└", c->margin, "");
	for (int i = 0; i < c->cells; i++)
		fputs("─", out);
	memset(line, ' ', (size_t)c->cells + 15);
	line[c->cells + 15] = '\0';
	for (size_t i = 0; i < n; i++) {
		char text[24];
		int width = snprintf(text, sizeof(text), "%.4g", x[i]);
		int at = across_of(c, x[i]) / ACROSS - width / 2;
		at = at < free_from ? free_from : at;
		if (at + width > c->cells + 14)
			break;
		memcpy(line + at, text, (size_t)width);
		free_from = at + width + 1;
	}
	line[free_from > 0 ? free_from - 1 : 0] = '\0';
	fprintf(out, "\n%*s%s  %s\n", c->margin + 1, "", line, label);
}

/* Labels round numbers, because a linear plot has many points. */
static void print_linear_axis(const struct canvas *c, const char *label, FILE *out)
{
	enum { WANTED = 6 };
	struct et_axis axis =
		et_axis_fit(&(struct et_axis){ .lo = c->lo, .hi = c->hi }, c->lo, c->hi);
	struct et_ticks ticks;

	et_axis_ticks(&axis, WANTED, &ticks);
	print_axis(c, ticks.at, ticks.n, label, out);
}

static void print_decades(
	const struct canvas *c, double first, double last, const char *label, FILE *out)
{
	enum { MOST = 16 };
	double at[MOST];
	size_t n = 0;

	for (double x = first; n < MOST && x <= last * 1.001; x *= 10)
		at[n++] = x;
	print_axis(c, at, n, label, out);
}

/* Makes room at both ends of the x axis for curves that are drawn beside their x. */
static void make_room(struct canvas *c, int curves)
{
	double room = (c->hi - c->lo) * curves / 2 / (c->cells - curves);

	c->lo -= room;
	c->hi += room;
}

static void draw_curves(
	struct canvas *c, const double *x, size_t n, const struct et_curve *curves, size_t n_curves)
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
	struct canvas c, const char *x_label, const struct et_page *page)
{
	c.margin = c.compact || c.is_signed ? WIDE_MARGIN : MARGIN;
	c.cells = page->width - c.margin - 14;
	if (!n || c.cells < LEAST_CELLS)
		return;
	if (c.cells > MOST_CELLS)
		c.cells = MOST_CELLS;
	size_t all = (size_t)c.cells * ROWS;
	ET_AUTO_FREE unsigned char *dots = et_calloc(all, sizeof(*dots));
	ET_AUTO_FREE char *marks = et_calloc(all, sizeof(*marks));
	c.dots = dots;
	c.marks = marks;
	double first = c.points ? pow(10, floor(log10(x[0]))) : x[0];
	double last = c.points ? pow(10, ceil(log10(x[n - 1]))) : x[n - 1];
	c.lo = c.linear ? first : log(first);
	c.hi = c.linear ? last : log(last);
	draw_curves(&c, x, n, curves, n_curves);
	for (int row = 0; row < ROWS; row++)
		print_row(&c, row, page->out);
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
}

/* The smallest of these steps that is not below any point; labels have room for 0.1 %. */
static double top_of(size_t n, const struct et_curve *curves, size_t n_curves)
{
	static const double steps[] = { 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5 };
	double most = 0;

	for (size_t i = 0; i < n_curves; i++) {
		for (size_t k = 0; k < n; k++)
			most = fmax(most, curves[i].y[k]); /* fmax ignores NaN */
	}
	for (size_t i = 0; i < ET_LENGTH(steps); i++) {
		if (most <= steps[i])
			return steps[i];
	}
	return 1;
}

void et_plot_small_shares(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page)
{
	struct canvas c = { .top = top_of(n, curves, n_curves), .unit = ET_AXIS_SHARE };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_shares(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page)
{
	struct canvas c = { .top = 1, .unit = ET_AXIS_SHARE };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_errors(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page)
{
	struct canvas c = { .top = 10, .decades = ROWS / 2, .unit = ET_AXIS_SHARE };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_signed_errors(const double *x, size_t n, const struct et_curve *curves,
	size_t n_curves, const char *x_label, const struct et_page *page)
{
	_Static_assert(ROWS == 2 * (UP + BELOW) + 1, "two rows per decade");
	struct canvas c = { .is_signed = true };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_error_points(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page)
{
	struct canvas c = { .top = 10, .decades = ROWS / 2, .unit = ET_AXIS_SHARE, .points = true };

	draw(x, n, curves, n_curves, c, x_label, page);
}

void et_plot_log_intervals(const double *x, size_t n, const struct et_curve *curves,
	const struct et_curve_limits *limits, size_t n_curves, enum et_axis_unit unit,
	const char *x_label, const struct et_page *page)
{
	struct canvas c = { .unit = unit, .compact = true, .limits = limits };
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
	struct canvas c = { .top = top, .unit = ET_AXIS_NUMBER, .linear = true };

	draw(x, n, curves, n_curves, c, x_label, page);
}
