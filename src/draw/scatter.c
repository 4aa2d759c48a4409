/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/scatter.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "draw/units.h"

#include <math.h>
#include <string.h>

enum { ACROSS = 2, DOWN = 4, NARROWEST = 10 }; /* dots of a braille cell; columns of a plot */

#define MARKED "\033[33m"
#define PLAIN "\033[0m"
#define SEVERAL '*'

struct canvas {
	int columns, rows;
	unsigned char *dots; /* a Unicode braille pattern per cell */
	char *marks;
};

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

static void mark(char *cell, char with)
{
	if (with)
		*cell = *cell && *cell != with ? SEVERAL : with;
}

/* Returns the number of points inside the axes. */
static size_t fill(struct canvas *c, const struct et_scatter *s)
{
	static const unsigned char bits[DOWN][ACROSS] = { { 0x01, 0x08 }, { 0x02, 0x10 },
		{ 0x04, 0x20 }, { 0x40, 0x80 } };
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!inside(s, s->x[i]) || !inside(s, s->y[i]))
			continue;
		int x = place(s, s->x[i], c->columns * ACROSS);
		int y = c->rows * DOWN - 1 - place(s, s->y[i], c->rows * DOWN);
		size_t cell = (size_t)(y / DOWN) * (size_t)c->columns + (size_t)(x / ACROSS);
		c->dots[cell] |= bits[y % DOWN][x % ACROSS];
		mark(&c->marks[cell], s->marks ? s->marks[i] : '\0');
		n++;
	}
	return n;
}

static void draw_cell(const struct et_page *page, unsigned char dots, char with)
{
	/* U+2800 + pattern, in UTF-8 */
	char text[] = { (char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)), '\0' };

	if (!dots)
		putc(' ', page->out);
	else if (with && page->color)
		fprintf(page->out, MARKED "%c" PLAIN, with);
	else if (with)
		putc(with, page->out);
	else
		fputs(text, page->out);
}

static void draw_row(const struct canvas *c, int row, const struct et_page *page)
{
	const unsigned char *dots = c->dots + (size_t)row * (size_t)c->columns;
	const char *marks = c->marks + (size_t)row * (size_t)c->columns;
	int end = c->columns;

	while (end > 0 && !dots[end - 1])
		end--;
	for (int i = 0; i < end; i++)
		draw_cell(page, dots[i], marks[i]);
	putc('\n', page->out);
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
static void draw_axis(const struct et_scatter *s, const struct canvas *c,
	const struct et_page *page, int indent, const char *lo, const char *hi)
{
	int gap = c->columns + 1 - et_columns(lo) - et_columns(hi);

	fprintf(page->out, "%*s└", indent, "");
	for (int i = 0; i < c->columns; i++)
		fputs("─", page->out);
	fprintf(page->out, "\n%*s%s%*s%s\n", indent, "", lo, gap > 1 ? gap : 1, "", hi);
	if (s->x_label)
		fprintf(page->out, "%*s%s\n", indent, "", s->x_label);
}

void et_scatter_draw(const struct et_scatter *s, const struct et_page *page, int indent, int width)
{
	char lo[ET_FIGURE], hi[ET_FIGURE];

	format_ends(s, lo, hi);
	int a = et_columns(lo), b = et_columns(hi), label = a > b ? a : b;
	struct canvas c = { .columns = width - label - 2 };

	if (c.columns < NARROWEST)
		return;
	c.rows = c.columns / 2;
	size_t cells = (size_t)c.columns * (size_t)c.rows;
	c.dots = et_calloc(cells, 1);
	c.marks = et_calloc(cells, 1);
	size_t n = fill(&c, s);
	if (n && s->y_label)
		fprintf(page->out, "%*s%s\n", indent, "", s->y_label);
	for (int row = 0; n && row < c.rows; row++) {
		const char *text = row == 0 ? hi : row == c.rows - 1 ? lo : "";
		fprintf(page->out, "%*s%s%s", indent + label - et_columns(text), "", text,
			*text ? " ┤" : " │");
		draw_row(&c, row, page);
	}
	if (n)
		draw_axis(s, &c, page, indent + label + 1, lo, hi);
	free(c.dots);
	free(c.marks);
}
