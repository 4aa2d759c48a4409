/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sheet.h"
#include "base/alloc.h"
#include "base/whole.h"

#include <math.h>

enum { GAP = 2, LEAST_NAME = 12, LEAST_BAR = 8, MOST_BAR = 24 };

#define DIM "2"

struct layout {
	int left[ET_SHEET_COLUMNS], width[ET_SHEET_COLUMNS]; /* width 0: it is omitted */
};

struct et_sheet_cell *et_sheet_cell(struct et_sheet *s)
{
	ET_GROW(s->cells, s->n_cells, s->cap);
	s->cells[s->n_cells] = (struct et_sheet_cell){ 0 };
	return &s->cells[s->n_cells++];
}

void et_sheet_name(struct et_sheet *s, const char *name, const char *style)
{
	struct et_sheet_cell *c = et_sheet_cell(s);

	c->name = et_clean(name, "");
	c->style = style;
}

void et_sheet_bar(struct et_sheet *s, double share, const char *style)
{
	struct et_sheet_cell *c = et_sheet_cell(s);

	c->bar = isfinite(share) ? fmin(fmax(share, 0), 1) : 0;
	c->style = style;
}

void et_sheet_text(struct et_sheet *s, const char *left, const char *right, const char *style)
{
	struct et_sheet_cell *c = et_sheet_cell(s);

	snprintf(c->left, sizeof(c->left), "%s", left);
	snprintf(c->right, sizeof(c->right), "%s", right);
	c->style = style;
}

/* An interval that ends at a bound, such as 0 or 100 %, is longer on its other side. */
static bool is_symmetric(double x, double lo, double hi)
{
	double apart = fabs((hi - x) - (x - lo));

	return apart <= 1e-6 * (hi - lo) || apart <= 1e-9 * fabs(x);
}

static void put_interval(struct et_scale s, double lo, double hi, char out[ET_FIGURE])
{
	char from[ET_FIGURE] = "0", to[ET_FIGURE];

	if (lo > 0)
		et_scale_number(s, lo, from);
	snprintf(out, ET_FIGURE, "(%.30s … %.30s)", from, et_scale_number(s, hi, to));
}

void et_split_figure(double x, struct et_span i, char left[ET_FIGURE], char right[ET_FIGURE])
{
	enum { MOST_DECIMALS = 3, LEAST_DIGITS = 2 };
	double half = fmax(i.hi - x, x - i.lo);
	/* The digits of 0 are those of its uncertainty. */
	double size = x == 0 && half > 0 ? half : fabs(x);
	struct et_scale scale = et_scale_of_value(size, half, ET_UNIT_NONE), own = scale;
	char figure[ET_FIGURE];

	right[0] = '\0';
	if (!isfinite(x)) {
		snprintf(left, ET_FIGURE, ET_DASH);
		return;
	}
	if (isfinite(half) && half > 0 && scale.decimals > MOST_DECIMALS)
		scale.decimals = MOST_DECIMALS;
	/* A large uncertainty does not round the value to nothing. */
	int least = size > 0 ? LEAST_DIGITS - 1 - et_int(floor(log10(size))) : 0;
	least = least > MOST_DECIMALS ? MOST_DECIMALS : least;
	own.decimals = scale.decimals > least ? scale.decimals : least;
	et_scale_number(own, fabs(x), figure);
	/* No "-0.0". */
	bool negative = x < 0 && strtod(figure, NULL) > 0;
	snprintf(left, ET_FIGURE, "%s%.80s", negative ? "-" : "", figure);
	if (half >= 0 && !is_symmetric(x, i.lo, i.hi))
		put_interval(scale, i.lo, i.hi, right);
	else if (half >= 0)
		et_scale_plus_minus(scale, half, right);
}

void et_sheet_interval(struct et_sheet *s, double x, struct et_span interval, const char *style)
{
	struct et_sheet_cell *c = et_sheet_cell(s);
	char right[ET_FIGURE];

	et_split_figure(x, interval, c->left, right);
	snprintf(c->right, sizeof(c->right), "%s%.90s", *right ? " " : "", right);
	c->style = style;
}

void et_sheet_measured(struct et_sheet *s, double x, double uncertainty, const char *style)
{
	et_sheet_interval(s, x, (struct et_span){ x - uncertainty, x + uncertainty }, style);
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static void measure(const struct et_sheet *s, struct layout *l)
{
	int right[ET_SHEET_COLUMNS] = { 0 };

	for (size_t i = 0; i < s->n_cells; i++) {
		const struct et_sheet_cell *c = &s->cells[i];
		size_t k = i % s->n_columns;
		l->left[k] = larger(l->left[k], et_columns(c->name ? c->name : c->left));
		right[k] = larger(right[k], et_columns(c->right));
	}
	for (size_t k = 0; k < s->n_columns; k++) {
		const struct et_sheet_column *c = &s->columns[k];
		l->width[k] = c->kind == ET_SHEET_BAR ? LEAST_BAR : l->left[k] + right[k];
		if (l->width[k])
			l->width[k] = larger(l->width[k], et_columns(c->title));
	}
}

/* The columns of the page that are left; names count with the least that they need. */
static int room(const struct et_sheet *s, const struct layout *l, int page)
{
	for (size_t k = 0; k < s->n_columns; k++) {
		int width = l->width[k];
		if (s->columns[k].kind == ET_SHEET_NAME)
			width = smaller(width, LEAST_NAME);
		page -= width ? width + (k ? GAP : 0) : 0;
	}
	return page;
}

/* Returns the column that is omitted next; n_columns: none may be. */
static size_t next_dropped(const struct et_sheet *s, const struct layout *l)
{
	size_t best = s->n_columns;

	for (size_t k = 0; k < s->n_columns; k++) {
		int drop = s->columns[k].drop;
		if (l->width[k] && drop && (best == s->n_columns || drop < s->columns[best].drop))
			best = k;
	}
	return best;
}

/* Names get what they need, one after the other; bars get the rest. */
static void fit(const struct et_sheet *s, struct layout *l, const struct et_page *page)
{
	int left = room(s, l, page->width);

	for (size_t k; left < 0 && (k = next_dropped(s, l)) < s->n_columns;) {
		l->width[k] = 0;
		left = room(s, l, page->width);
	}
	for (size_t k = 0; k < s->n_columns && !page->full_names; k++) {
		if (s->columns[k].kind != ET_SHEET_NAME || l->width[k] <= LEAST_NAME)
			continue;
		int more = smaller(l->width[k] - LEAST_NAME, larger(left, 0));
		l->width[k] = LEAST_NAME + more;
		left -= more;
	}
	for (size_t k = 0; k < s->n_columns; k++) {
		if (s->columns[k].kind == ET_SHEET_BAR && l->width[k])
			l->width[k] += smaller(larger(left, 0), MOST_BAR - LEAST_BAR);
	}
}

/* Blanks are kept back until something follows. */
static void put(
	const struct et_page *page, int *blanks, const char *style, const char *text, int width)
{
	bool on = page->color && style && *text;

	if (*text)
		fprintf(page->out, "%*s%s%s%s%s%s", *blanks, "", on ? "\033[" : "", on ? style : "",
			on ? "m" : "", text, on ? "\033[0m" : "");
	*blanks = (*text ? 0 : *blanks) + width - et_columns(text);
}

/* A bar of this many columns, to an eighth of a column. */
static void draw_bar(double columns, char *out, size_t size)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = et_int(round(8 * columns));
	size_t at = 0;

	for (int i = 0; i < eighths / 8; i++)
		at += (size_t)snprintf(out + at, size - at, "█");
	snprintf(out + at, size - at, "%s", parts[eighths % 8]);
}

static void put_cell(const struct et_sheet *s, const struct layout *l, size_t i,
	const struct et_page *page, int *blanks)
{
	const struct et_sheet_cell *c = &s->cells[i];
	size_t k = i % s->n_columns;
	char text[2 * ET_FIGURE];

	if (c->name) {
		ET_AUTO_FREE char *name = et_shorten(c->name, l->width[k]);
		put(page, blanks, c->style, name, l->width[k]);
		return;
	}
	int lead = s->columns[k].kind == ET_SHEET_BAR ? 0 : l->left[k] - et_columns(c->left);
	if (s->columns[k].kind == ET_SHEET_BAR)
		draw_bar(c->bar * l->width[k], text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s%s", c->left, c->right);
	*blanks += lead;
	put(page, blanks, c->style, text, l->width[k] - lead);
}

void et_sheet_print(struct et_sheet *s, const struct et_page *page)
{
	struct layout l = { 0 };
	int blanks = 0;

	measure(s, &l);
	if (!page->full_names)
		fit(s, &l, page);
	else
		fit(s, &l, &(struct et_page){ .width = 1 << 20, .full_names = true });
	for (size_t k = 0; k < s->n_columns; k++) {
		if (!l.width[k])
			continue;
		blanks += k ? GAP : 0;
		put(page, &blanks, DIM, s->columns[k].title, l.width[k]);
	}
	putc('\n', page->out);
	for (size_t i = 0; i < s->n_cells; i++) {
		size_t k = i % s->n_columns;
		if (!k)
			blanks = 0;
		if (l.width[k]) {
			blanks += k ? GAP : 0;
			put_cell(s, &l, i, page, &blanks);
		}
		if (k + 1 == s->n_columns)
			putc('\n', page->out);
		free(s->cells[i].name);
	}
	free(s->cells);
	*s = (struct et_sheet){ .columns = s->columns, .n_columns = s->n_columns };
}
