/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/charts.h"
#include "base/parse.h"
#include "base/whole.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "num/quantile.h"
#include "stats/series/diagnosis.h"

enum { ROWS = 4, EIGHTHS = 8, WIDEST_BIN = 6, MANY_STEPS = 20 };

static bool usable(double x)
{
	/* ET_UNKNOWN, converted to a double, means that the value is not known. */
	return isfinite(x) && x < (double)ET_UNKNOWN;
}

/* The number of bins, from 1 to most, for n values by the rule of Freedman & Diaconis (1981). */
static int number_of_bins(const struct et_estimate *e, size_t n, double range, int most)
{
	double width = 2 * (e->q3 - e->q1) / cbrt((double)n);
	double bins = isfinite(width) && width > 0 ? ceil(range / width) : ceil(sqrt((double)n));

	if (!(range > 0) || !(bins >= 1))
		return 1;
	return bins > most ? most : (int)bins;
}

static int place(const struct et_bins *b, double x, int cells)
{
	double share = b->hi > b->lo ? (x - b->lo) / (b->hi - b->lo) : 0.5;
	double i = share * cells; /* the mean may be far outside of the bins */

	return !(i > 0) ? 0 : i >= cells ? cells - 1 : (int)i;
}

/* Multiples of a step fill bins of whole steps: other bins would show gaps that are not there. */
static void respect_steps(struct et_bins *b, const double *values, size_t n, int width)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(values, n);
	double step = et_discreteness(sorted, n).quantum;
	double steps = step > 0 ? round((b->most - b->least) / step) + 1 : INFINITY;

	/* With many steps per bin one more or less is not visible. */
	if (steps > MANY_STEPS * (double)b->n)
		return;
	double per_bin = fmax(fmax(1, round(steps / b->n)), ceil(steps / width));
	b->n = (int)ceil(steps / per_bin);
	b->lo = b->least - step / 2;
	b->hi = b->lo + b->n * per_bin * step;
}

size_t et_bins_fill(
	struct et_bins *b, const double *values, size_t n, const struct et_estimate *e, int most)
{
	size_t used = 0;

	b->lo = INFINITY;
	b->hi = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		if (usable(values[i])) {
			b->lo = fmin(b->lo, values[i]);
			b->hi = fmax(b->hi, values[i]);
			used++;
		}
	}
	if (used < 2)
		return used;
	b->least = b->lo;
	b->most = b->hi;
	b->n = number_of_bins(e, used, b->hi - b->lo, most);
	if (used == n && b->hi > b->lo)
		respect_steps(b, values, n, most);
	b->count = et_calloc((size_t)b->n, sizeof(*b->count));
	for (size_t i = 0; i < n; i++) {
		if (usable(values[i]))
			b->count[place(b, values[i], b->n)]++;
	}
	return used;
}

/* A histogram in a terminal. */
struct drawing {
	struct et_bins bins;
	int columns; /* of each bin */
	size_t highest;
	enum et_unit unit;
};

/* How many eighths of the cell in a row (0 is the lowest) a bin fills. */
static int level(const struct drawing *b, int bin, int row)
{
	int full = (int)ceil((double)b->bins.count[bin] * ROWS * EIGHTHS / (double)b->highest);
	int eighths = full - row * EIGHTHS;

	return eighths < 0 ? 0 : eighths > EIGHTHS ? EIGHTHS : eighths;
}

static void draw_row(const struct drawing *b, int row, FILE *out)
{
	int end = b->bins.n;

	while (end > 0 && !level(b, end - 1, row))
		end--;
	for (int i = 0; i < end * b->columns; i++)
		fputs(et_eighths[level(b, i / b->columns, row)], out);
	putc('\n', out);
}

static void draw_marks(const struct drawing *b, const struct et_estimate *e, int indent, FILE *out)
{
	int cells = b->bins.n * b->columns;
	int median = isfinite(e->median) ? place(&b->bins, e->median, cells) : -1;
	int mean = isfinite(e->mean) ? place(&b->bins, e->mean, cells) : -1;

	fprintf(out, "%*s", indent, "");
	for (int i = 0; i < cells; i++)
		fputs(i == median && i == mean ? "◆"
			: i == median          ? "▲"
			: i == mean            ? "△"
					       : "─",
			out);
	putc('\n', out);
}

static void draw_ends(const struct drawing *b, int indent, int width, FILE *out)
{
	char lo[ET_FIGURE], hi[ET_FIGURE];
	int cells = b->bins.n * b->columns;

	et_format_value(b->bins.least, b->unit, lo);
	et_format_value(b->bins.most, b->unit, hi);
	int gap = cells - et_columns(lo) - et_columns(hi);
	gap = gap > 2 ? gap : 2;
	fprintf(out, "%*s%s%*s%s", indent, "", lo, gap, "", hi);
	static const char legend[] = "  ▲ median △ mean";
	if (et_columns(lo) + gap + et_columns(hi) + et_columns(legend) <= width)
		fputs(legend, out);
	putc('\n', out);
}

void et_histogram(const double *values, size_t n, const struct et_estimate *e, enum et_unit unit,
	int indent, int width, FILE *out)
{
	struct drawing b = { .unit = unit };

	if (width < 1 || et_bins_fill(&b.bins, values, n, e, width) < 2)
		return;
	b.columns = width / b.bins.n > WIDEST_BIN ? WIDEST_BIN : width / b.bins.n;
	for (int i = 0; i < b.bins.n; i++)
		b.highest = b.bins.count[i] > b.highest ? b.bins.count[i] : b.highest;
	for (int row = ROWS - 1; row >= 0; row--) {
		fprintf(out, "%*s", indent, "");
		draw_row(&b, row, out);
	}
	draw_marks(&b, e, indent, out);
	draw_ends(&b, indent, width, out);
	free(b.bins.count);
}

/* --- forest --- */

enum { LEAST_CELLS = 16, MOST_CELLS = 60, MOST_NAME = 14 };

struct axis {
	double lo, hi; /* logarithms */
	int cells;
	const struct et_contrast *first, *last; /* whose bounds they are; NULL: 1 */
};

static bool drawable(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);

	return r.lo > 0 && isfinite(r.hi) && isfinite(r.estimate);
}

static void reach(struct axis *axis, const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);

	if (log(r.lo) < axis->lo) {
		axis->lo = log(r.lo);
		axis->first = c;
	}
	if (log(r.hi) > axis->hi) {
		axis->hi = log(r.hi);
		axis->last = c;
	}
}

static int place_ratio(const struct axis *a, double ratio)
{
	double share = a->hi > a->lo ? (log(ratio) - a->lo) / (a->hi - a->lo) : 0.5;
	int at = et_int(round(share * (a->cells - 1)));

	return at < 0 ? 0 : at >= a->cells ? a->cells - 1 : at;
}

static void draw_interval(const struct axis *axis, const struct et_contrast *c, FILE *out)
{
	struct et_ratio r = et_contrast_ratio(c);
	int lo = place_ratio(axis, r.lo), hi = place_ratio(axis, r.hi),
	    at = place_ratio(axis, r.estimate);
	int one = place_ratio(axis, 1);

	for (int i = 0; i < axis->cells; i++) {
		const char *mark = i == one ? "│" : " ";
		if (i >= lo && i <= hi)
			mark = i == at   ? (c->significant ? "●" : "○")
			       : i == lo ? "├"
			       : i == hi ? "┤"
					 : "─";
		fputs(mark, out);
	}
	fputc('\n', out);
}

/* Returns the length of the folder path that all names begin with, which the chart omits. */
static size_t common_folders(const struct et_series *s, size_t n)
{
	const char *slash = strrchr(s[0].name, '/');
	size_t length = slash ? (size_t)(slash - s[0].name) + 1 : 0;

	for (size_t i = 1; i < n && length; i++) {
		while (length && strncmp(s[0].name, s[i].name, length))
			for (length--; length && s[0].name[length - 1] != '/';)
				length--;
	}
	return length;
}

char **et_series_names(
	const struct et_page *page, const struct et_series *s, size_t n, size_t skip, int width)
{
	ET_AUTO_FREE const char **names = et_calloc(n, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = s[i].name + skip;
	return et_page_names(page, names, n, width);
}

static char *label_of(char *const *names, const struct et_contrast *c)
{
	return et_asprintf("%s vs %s", names[c->b], names[c->a]);
}

/* As the bound is printed in the comparison. */
static void format_end(const struct et_contrast *c, bool upper, char buf[ET_FIGURE])
{
	if (!c) {
		snprintf(buf, ET_FIGURE, "1");
		return;
	}
	struct et_ratio r = et_contrast_ratio(c);
	et_format_bound(upper ? r.hi : r.lo, r.estimate, r.lo, r.hi, buf);
}

static void draw_bounds(const struct axis *axis, int indent, FILE *out)
{
	char lo[ET_FIGURE], hi[ET_FIGURE];
	int one = place_ratio(axis, 1);

	format_end(axis->first, false, lo);
	format_end(axis->last, true, hi);
	int left = (int)strlen(lo), right = axis->cells - (int)strlen(hi);
	fprintf(out, "%*s%s", indent, "", lo);
	/* The 1 is printed only if it touches neither end. */
	if (one > left && one + 1 < right)
		fprintf(out, "%*s1%*s", one - left, "", right - one - 1, "");
	else
		fprintf(out, "%*s", right > left ? right - left : 1, "");
	fprintf(out, "%s\n", hi);
}

static void draw_forest(
	char *const *names, const struct et_comparison *c, const struct et_page *page)
{
	struct axis axis = { 0 };
	int label = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n_pairs; i++) {
		if (!drawable(&c->pairs[i]))
			continue;
		ET_AUTO_FREE char *text = label_of(names, &c->pairs[i]);
		int columns = et_columns(text);
		label = columns > label ? columns : label;
		reach(&axis, &c->pairs[i]);
		n++;
	}
	axis.cells = page->width - label - 4;
	if (page->full_names && axis.cells < 2 * LEAST_CELLS)
		axis.cells = 2 * LEAST_CELLS;
	if (!n || axis.cells < LEAST_CELLS)
		return;
	if (axis.cells > MOST_CELLS)
		axis.cells = MOST_CELLS;
	fputc('\n', page->out);
	for (size_t i = 0; i < c->n_pairs; i++) {
		if (!drawable(&c->pairs[i]))
			continue;
		ET_AUTO_FREE char *text = label_of(names, &c->pairs[i]);
		fprintf(page->out, "  %s%*s  ", text, label - et_columns(text), "");
		draw_interval(&axis, &c->pairs[i], page->out);
	}
	draw_bounds(&axis, label + 4, page->out);
}

void et_forest(const struct et_series *s, const struct et_comparison *c, const struct et_page *page)
{
	char **names =
		et_series_names(page, s, c->n_samples, common_folders(s, c->n_samples), MOST_NAME);

	draw_forest(names, c, page);
	et_strv_free(names);
}
