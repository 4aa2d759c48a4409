/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forest.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/whole.h"
#include "draw/names.h"
#include "draw/units.h"

#include <math.h>
#include <string.h>

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

static int place(const struct axis *a, double ratio)
{
	double share = a->hi > a->lo ? (log(ratio) - a->lo) / (a->hi - a->lo) : 0.5;
	int at = et_int(round(share * (a->cells - 1)));

	return at < 0 ? 0 : at >= a->cells ? a->cells - 1 : at;
}

static void draw_row(const struct axis *axis, const struct et_contrast *c, FILE *out)
{
	struct et_ratio r = et_contrast_ratio(c);
	int lo = place(axis, r.lo), hi = place(axis, r.hi), at = place(axis, r.estimate);
	int one = place(axis, 1);

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

static char **names_of(
	const struct et_page *page, const struct et_series *s, const struct et_comparison *c)
{
	ET_AUTO_FREE const char **names = et_calloc(c->n_samples, sizeof(*names));
	size_t skip = common_folders(s, c->n_samples);

	for (size_t i = 0; i < c->n_samples; i++)
		names[i] = s[i].name + skip;
	return et_page_names(page, names, c->n_samples, MOST_NAME);
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

static void draw_ends(const struct axis *axis, int indent, FILE *out)
{
	char lo[ET_FIGURE], hi[ET_FIGURE];
	int one = place(axis, 1);

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

static void draw(char *const *names, const struct et_comparison *c, const struct et_page *page)
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
		draw_row(&axis, &c->pairs[i], page->out);
	}
	draw_ends(&axis, label + 4, page->out);
}

void et_forest(const struct et_series *s, const struct et_comparison *c, const struct et_page *page)
{
	char **names = names_of(page, s, c);

	draw(names, c, page);
	et_strv_free(names);
}
