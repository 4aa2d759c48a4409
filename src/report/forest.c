/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forest.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

enum { LEAST_CELLS = 16, MOST_CELLS = 60, MOST_LABEL = 32 };

struct axis {
	double lo, hi; /* logarithms */
	int cells;
};

static bool drawable(const struct et_contrast *c)
{
	return c->lo > 0 && isfinite(c->hi) && isfinite(c->ratio);
}

static int place(const struct axis *a, double ratio)
{
	double share = a->hi > a->lo ? (log(ratio) - a->lo) / (a->hi - a->lo) : 0.5;
	int at = et_int(round(share * (a->cells - 1)));

	return at < 0 ? 0 : at >= a->cells ? a->cells - 1 : at;
}

static void draw_row(const struct axis *axis, const struct et_contrast *c, FILE *out)
{
	int lo = place(axis, c->lo), hi = place(axis, c->hi), at = place(axis, c->ratio);
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

/* The length of the folders that begin all names: files are told apart by the rest. */
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

static char *label_of(const struct et_series *s, const struct et_contrast *c, size_t skip)
{
	ET_AUTO_FREE char *b = et_clean(s[c->b].name + skip, "");
	ET_AUTO_FREE char *a = et_clean(s[c->a].name + skip, "");
	ET_AUTO_FREE char *short_b = et_shorten(b, MOST_LABEL / 2 - 2);
	ET_AUTO_FREE char *short_a = et_shorten(a, MOST_LABEL / 2 - 2);

	return et_asprintf("%s vs %s", short_b, short_a);
}

static void draw_ends(const struct axis *axis, int indent, FILE *out)
{
	char lo[ET_FIGURE], hi[ET_FIGURE];
	int one = place(axis, 1);

	snprintf(lo, sizeof(lo), "%.4g", exp(axis->lo));
	snprintf(hi, sizeof(hi), "%.4g", exp(axis->hi));
	int left = (int)strlen(lo), right = axis->cells - (int)strlen(hi);
	fprintf(out, "%*s%s", indent, "", lo);
	/* The 1 is printed only if it touches neither end. */
	if (one > left && one + 1 < right)
		fprintf(out, "%*s1%*s", one - left, "", right - one - 1, "");
	else
		fprintf(out, "%*s", right > left ? right - left : 1, "");
	fprintf(out, "%s\n", hi);
}

void et_forest(const struct et_series *s, const struct et_comparison *c, const struct et_page *page)
{
	size_t skip = common_folders(s, c->n_samples);
	struct axis axis = { 0 };
	int label = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n_pairs; i++) {
		if (!drawable(&c->pairs[i]))
			continue;
		ET_AUTO_FREE char *text = label_of(s, &c->pairs[i], skip);
		int columns = et_columns(text);
		label = columns > label ? columns : label;
		axis.lo = fmin(axis.lo, log(c->pairs[i].lo));
		axis.hi = fmax(axis.hi, log(c->pairs[i].hi));
		n++;
	}
	axis.cells = page->width - label - 4;
	if (!n || axis.cells < LEAST_CELLS)
		return;
	if (axis.cells > MOST_CELLS)
		axis.cells = MOST_CELLS;
	fputc('\n', page->out);
	for (size_t i = 0; i < c->n_pairs; i++) {
		if (!drawable(&c->pairs[i]))
			continue;
		ET_AUTO_FREE char *text = label_of(s, &c->pairs[i], skip);
		fprintf(page->out, "  %s%*s  ", text, label - et_columns(text), "");
		draw_row(&axis, &c->pairs[i], page->out);
	}
	draw_ends(&axis, label + 4, page->out);
}
