/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/whole.h"
#include "draw/chart.h"
#include "num/quantile.h"

#include <float.h>

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

/* How y is drawn: a table of the scales. */
struct scale {
	double top;  /* the upper end; 0: fitted to the chart */
	int decades; /* of a logarithmic axis; 0: it is linear, from 0 */
	int margin;  /* columns before the axis */
	enum et_axis_unit unit;
	bool fitted; /* decades around the values, in the unit of the chart */
	bool both;   /* logarithmic on both sides of 0 */
	bool linear; /* the x axis is linear */
};

static const struct scale scales[] = {
	[ET_TEXT_LOG] = { .margin = WIDE_MARGIN, .fitted = true },
	[ET_TEXT_SHARES] = { .top = 1, .margin = MARGIN, .unit = ET_AXIS_SHARE },
	[ET_TEXT_ERRORS] = { .top = 10, .decades = ROWS / 2, MARGIN, ET_AXIS_SHARE },
	[ET_TEXT_SIGNED] = { .margin = WIDE_MARGIN, .both = true },
	[ET_TEXT_NUMBERS] = { .margin = MARGIN, .linear = true },
};

struct plot {
	const struct et_chart *c;
	struct scale y;
	struct canvas cells;
	double unit;   /* of x */
	double *x;     /* all values of x in this unit, ascending, each once */
	size_t n;      /* their number */
	double lo, hi; /* the ends of the x axis: logarithms unless it is linear */
	bool points;   /* no curve is joined: the x axis has whole decades */
	bool limits;
	bool several; /* points of different curves meet somewhere */
	int beside;   /* cells by which the curve is drawn to the right of its x */
};

static int across_of(const struct plot *c, double x)
{
	double at = c->y.linear ? x : log(x);
	double share = c->hi > c->lo ? (at - c->lo) / (c->hi - c->lo) : 0.5;

	return et_int(round(share * (c->cells.columns * ACROSS - 1))) + c->beside * ACROSS;
}

/* The signed axis has two rows per decade beyond this error: three decades up, two down. */
static const double LINEAR = 0.01;
enum { UP = 3, BELOW = 2 };
_Static_assert(ROWS == 2 * (UP + BELOW) + 1, "two rows per decade");

static double signed_share(double y)
{
	return (BELOW + copysign(log10(1 + fabs(y) / LINEAR), y)) / (UP + BELOW);
}

static int down_of(const struct plot *c, double y)
{
	double share = c->y.both      ? signed_share(y)
		       : c->y.decades ? 1 + log10(fmax(y, DBL_MIN) / c->y.top) / c->y.decades
				      : y / c->y.top;

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
static size_t cell_of(const struct plot *c, const struct et_dot *d)
{
	return cell_at(&c->cells, across_of(c, d->x / c->unit), down_of(c, d->y));
}

static void draw_curve(struct plot *c, const struct et_curve *curve)
{
	bool joined = curve->shape != ET_SVG_POINTS && !curve->limits;

	for (size_t i = 0; i < curve->n; i++) {
		const struct et_dot *d = &curve->dots[i], *last = d - 1;
		if (isnan(d->y))
			continue;
		int at = across_of(c, d->x / c->unit), down = down_of(c, d->y);
		if (curve->limits && d->lo > 0 && isfinite(d->hi))
			join(c, at, down_of(c, d->lo), at, down_of(c, d->hi));
		if (joined && i > 0 && !isnan(last->y))
			join(c, across_of(c, last->x / c->unit), down_of(c, last->y), at, down);
		if (curve->mark && mark(&c->cells, cell_of(c, d), curve->mark, SEVERAL))
			c->several = true;
	}
}

/* Whether two curves have the same points in the same cells, so that they look like one. */
static bool coincide(const struct plot *c, const struct et_curve *a, const struct et_curve *b)
{
	bool seen = false;

	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		const struct et_dot *p = &a->dots[i], *q = &b->dots[i];
		bool there = !isnan(p->y);
		if (p->x != q->x || there != !isnan(q->y) ||
			(there && cell_of(c, p) != cell_of(c, q)))
			return false;
		seen = seen || there;
	}
	return seen;
}

/* The text of a curve in the legend. Caller frees. */
static char *legend_of(const struct plot *c, size_t which)
{
	struct et_curve *const *all = c->c->curves;
	size_t twin = 0;

	while (twin < which && (!all[twin]->mark || !coincide(c, all[twin], all[which])))
		twin++;
	return twin < which ? et_asprintf("%s: same as %c", all[which]->name, all[twin]->mark)
			    : et_strdup(all[which]->name);
}

/* Of fitted scales it is one paragraph, else a line per curve. */
static void print_legend(const struct plot *c, const struct et_page *page)
{
	ET_AUTO_FREE char *all = NULL;
	int margin = c->y.margin + 1;

	for (size_t i = 0; i < c->c->n_curves; i++) {
		const struct et_curve *curve = c->c->curves[i];
		if (c->y.fitted ? !curve->mark : !curve->name)
			continue;
		const char *mark = curve->mark ? (char[]){ curve->mark, '\0' } : "⠒";
		ET_AUTO_FREE char *label = legend_of(c, i);
		ET_AUTO_FREE char *lead = et_asprintf("%*s%s", margin, "", mark);
		if (c->y.fitted)
			et_append(&all, ", ", "%s %s", mark, label);
		else
			et_page_paragraph(page, margin + 2, lead, NULL, label, NULL);
	}
	if (c->several && c->y.fitted)
		et_append(&all, ", ", "%c several curves", SEVERAL);
	else if (c->several)
		fprintf(page->out, "%*s%c several curves\n", margin, "", SEVERAL);
	ET_AUTO_FREE char *blank = et_asprintf("%*s", c->y.margin, "");
	if (c->y.fitted)
		et_page_paragraph(page, margin, blank, NULL, all, NULL);
}

/* The label of a row: on a linear axis of 0, the middle and the top, else of decades. */
static const char *row_label(const struct plot *c, int row, char buf[ET_FIGURE])
{
	const struct scale *y = &c->y;

	*buf = '\0';
	if (y->both) {
		int decade = UP - row / 2;
		if (row % 2 == 0)
			snprintf(buf, ET_FIGURE, decade ? "%+.4g %%" : "%.4g %%",
				decade ? copysign(pow(10, abs(decade)), decade) : 0.0);
		return buf;
	}
	double share = y->top * (1 - row / (ROWS - 1.0));
	if (!y->decades && row % (ROWS / 2) == 0)
		snprintf(buf, ET_FIGURE, y->unit == ET_AXIS_SHARE ? "%.3g %%" : "%.3g",
			(y->unit == ET_AXIS_SHARE ? 100 : 1) * share);
	for (int d = 0; d <= y->decades && y->decades; d++) {
		if ((int)lround((double)d * (ROWS - 1) / y->decades) != row)
			continue;
		double at = y->top * pow(10, -d);
		if (y->unit == ET_AXIS_NS)
			et_format_rounded(at, 1, buf);
		else if (y->unit == ET_AXIS_NUMBER)
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

	fprintf(page->out, "%*s%s │", c->y.margin - 1 - columns, "", label);
	print_cells(&c->cells, row, page, false);
}

/* Prints the x axis with the values at[], and its label. */
static void print_axis(const struct plot *c, const double *at, size_t n, FILE *out)
{
	ET_AUTO_FREE char *line = et_alloc((size_t)c->cells.columns + 16);
	int free_from = 0;

	print_line(c->y.margin, c->cells.columns, out);
	memset(line, ' ', (size_t)c->cells.columns + 15);
	line[c->cells.columns + 15] = '\0';
	for (size_t i = 0; i < n; i++) {
		char text[24];
		int width = snprintf(text, sizeof(text), "%.4g", at[i]);
		int column = across_of(c, at[i]) / ACROSS - width / 2;
		column = column < free_from ? free_from : column;
		if (column + width > c->cells.columns + 14)
			break;
		memcpy(line + column, text, (size_t)width);
		free_from = column + width + 1;
	}
	line[free_from > 0 ? free_from - 1 : 0] = '\0';
	fprintf(out, "%*s%s  %s\n", c->y.margin + 1, "", line, c->c->text.x_label);
}

/* Labels the values of x, or round numbers if there may be many values. */
static void print_x(const struct plot *c, double first, double last, FILE *out)
{
	enum { WANTED = 6, MOST = 16 };
	struct et_axis axis =
		et_axis_fit(&(struct et_axis){ .lo = c->lo, .hi = c->hi }, c->lo, c->hi);
	struct et_ticks ticks;
	double decades[MOST];
	size_t n = 0;

	if (c->y.linear) {
		et_axis_ticks(&axis, WANTED, &ticks);
		print_axis(c, ticks.at, ticks.n, out);
	} else if (c->points) {
		for (double x = first; n < MOST && x <= last * 1.001; x *= 10)
			decades[n++] = x;
		print_axis(c, decades, n, out);
	} else {
		print_axis(c, c->x, c->n, out);
	}
}

static void draw_curves(struct plot *c)
{
	int n = (int)c->c->n_curves;

	/* Curves that are drawn beside their x need room at both ends of the axis. */
	double room = c->limits ? (c->hi - c->lo) * n / 2 / (c->cells.columns - n) : 0;
	c->lo -= room;
	c->hi += room;
	for (int i = 0; i < n; i++) {
		c->beside = c->limits ? i - n / 2 : 0;
		draw_curve(c, c->c->curves[i]);
	}
	c->beside = 0;
}

/* --- what is drawn --- */

/* Collects the values of x, and what all curves have in common. */
static void gather(struct plot *p)
{
	const struct et_chart *c = p->c;
	size_t n = 0;

	p->points = true;
	for (size_t i = 0; i < c->n_curves; i++) {
		n += c->curves[i]->n;
		p->points = p->points && c->curves[i]->shape == ET_SVG_POINTS;
		p->limits = p->limits || c->curves[i]->limits;
	}
	p->x = et_calloc(n + 1, sizeof(*p->x));
	n = 0;
	for (size_t i = 0; i < c->n_curves; i++) {
		for (size_t k = 0; k < c->curves[i]->n; k++)
			p->x[n++] = c->curves[i]->dots[k].x / p->unit;
	}
	et_sort(p->x, n);
	for (size_t i = 0; i < n; i++) {
		if (!p->n || p->x[i] != p->x[p->n - 1])
			p->x[p->n++] = p->x[i];
	}
}

static void reach(double *least, double *most, double y)
{
	if (y > 0 && isfinite(y)) {
		*least = fmin(*least, y);
		*most = fmax(*most, y);
	}
}

/* Fits decades to the values; false: none is greater than 0. */
static bool fit(struct plot *p)
{
	double least = INFINITY, most = 0;

	if (p->y.linear)
		p->y.top = p->c->y.hi;
	if (!p->y.fitted)
		return true;
	for (size_t i = 0; i < p->c->n_curves; i++) {
		const struct et_curve *k = p->c->curves[i];
		for (size_t j = 0; j < k->n; j++) {
			reach(&least, &most, k->dots[j].y);
			reach(&least, &most, k->limits ? k->dots[j].lo : NAN);
			reach(&least, &most, k->limits ? k->dots[j].hi : NAN);
		}
	}
	if (!(most > 0))
		return false;
	int top = et_int(ceil(log10(most) - 1e-9)), bottom = et_int(floor(log10(least) + 1e-9));
	p->y.decades = top - bottom < 1 ? 1 : top - bottom > ROWS - 1 ? ROWS - 1 : top - bottom;
	p->y.top = pow(10, top);
	p->y.unit = p->c->y.unit;
	return true;
}

static void print_curves(struct plot *p, const struct et_page *page)
{
	double first = p->points ? pow(10, floor(log10(p->x[0]))) : p->x[0];
	double last = p->points ? pow(10, ceil(log10(p->x[p->n - 1]))) : p->x[p->n - 1];

	p->lo = p->y.linear ? first : log(first);
	p->hi = p->y.linear ? last : log(last);
	draw_curves(p);
	for (int row = 0; row < ROWS; row++)
		print_row(p, row, page);
	print_x(p, first, last, page->out);
	print_legend(p, page);
}

void et_chart_print(struct et_chart *c, const struct et_page *page)
{
	struct plot p = { .c = c, .y = scales[c->text.scale], .unit = c->text.x ? c->text.x : 1 };
	int columns = page->width - p.y.margin - 14;

	gather(&p);
	if (p.n > 1 && columns >= LEAST_CELLS && fit(&p)) {
		p.cells = canvas_new(columns > MOST_CELLS ? MOST_CELLS : columns, ROWS);
		print_curves(&p, page);
		canvas_free(&p.cells);
	}
	free(p.x);
	et_chart_free(c);
}

/* --- scatter --- */

/* lo and hi are the ends of both axes. */
static int place(double v, double lo, double hi, int dots)
{
	double share = hi > lo ? (v - lo) / (hi - lo) : 0.5;
	int at = et_int(share * dots);

	return at < 0 ? 0 : at >= dots ? dots - 1 : at;
}

/* Draws the points of a curve. Returns the number of those inside the axes. */
static size_t fill(struct canvas *c, const struct et_curve *k, double lo, double hi)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++) {
		const struct et_dot *d = &k->dots[i];
		if (!(d->x >= lo && d->x <= hi && d->y >= lo && d->y <= hi))
			continue;
		int x = place(d->x, lo, hi, c->columns * ACROSS);
		int y = c->rows * DOWN - 1 - place(d->y, lo, hi, c->rows * DOWN);
		set(c, x, y);
		if (k->mark)
			mark(c, cell_at(c, x, y), k->mark, SEVERAL_POINTS);
		n++;
	}
	return n;
}

/* Draws the lower axis with the texts of its ends and its name below. */
static void draw_ends(const struct canvas *c, const struct et_page *page, int indent,
	const char *lo, const char *hi, const char *label)
{
	int gap = c->columns + 1 - et_columns(lo) - et_columns(hi);

	print_line(indent, c->columns, page->out);
	fprintf(page->out, "%*s%s%*s%s\n", indent, "", lo, gap > 1 ? gap : 1, "", hi);
	if (label)
		fprintf(page->out, "%*s%s\n", indent, "", label);
}

static void print_scatter(const struct et_chart *chart, double lo, double hi,
	const struct et_page *page, int indent, int width)
{
	/* The two ends in one unit, with two digits more than a tenth of their distance needs. */
	struct et_scale scale = et_scale_of(hi, (hi - lo) / 10);
	char least[ET_FIGURE], most[ET_FIGURE];
	size_t n = 0;

	snprintf(least, sizeof(least), "%.80s %s", et_scale_number(scale, lo, ET_BUF), scale.unit);
	snprintf(most, sizeof(most), "%.80s %s", et_scale_number(scale, hi, ET_BUF), scale.unit);
	int a = et_columns(least), b = et_columns(most), label = a > b ? a : b;
	int columns = width - label - 2;

	if (columns < NARROWEST)
		return;
	struct canvas c = canvas_new(columns, columns / 2);
	for (size_t i = 0; i < chart->n_curves; i++) {
		const struct et_curve *k = chart->curves[i];
		n += k->shape == ET_SVG_POINTS ? fill(&c, k, lo, hi) : 0;
	}
	if (n && chart->y.label)
		fprintf(page->out, "%*s%s\n", indent, "", chart->y.label);
	for (int row = 0; n && row < c.rows; row++) {
		const char *text = row == 0 ? most : row == c.rows - 1 ? least : "";
		fprintf(page->out, "%*s%s%s", indent + label - et_columns(text), "", text,
			*text ? " ┤" : " │");
		print_cells(&c, row, page, true);
	}
	if (n)
		draw_ends(&c, page, indent + label + 1, least, most, chart->x.label);
	canvas_free(&c);
}

void et_chart_scatter(
	struct et_chart *c, double lo, double hi, const struct et_page *page, int indent, int width)
{
	print_scatter(c, lo, hi, page, indent, width);
	et_chart_free(c);
}
