/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/timeline.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 12, LEAST_CELLS = 20, MOST_CELLS = 100, CELLS_PER_TICK = 3 };

struct line {
	int cells;
	double cell_ns;
	double *taken[ET_CAUSES]; /* the share of each cell that each cause took */
	bool *tick;
	bool any[ET_CAUSES], any_tick;
};

static int cell_of(const struct line *l, double ns)
{
	int at = et_int(ns / l->cell_ns);

	return at >= l->cells ? l->cells : at;
}

/* Distributes a period over the cells that it overlaps. */
static void fill(struct line *l, const struct et_inactive *p)
{
	double from = (double)p->start_ns, to = from + (double)p->duration_ns;
	int first = cell_of(l, from);

	if (first >= l->cells)
		return;
	l->any[p->cause] = true;
	l->tick[first] |= p->tick;
	l->any_tick |= p->tick;
	for (int i = first; i < l->cells && (double)i * l->cell_ns < to; i++) {
		double lo = fmax(from, (double)i * l->cell_ns);
		double hi = fmin(to, (double)(i + 1) * l->cell_ns);
		l->taken[p->cause][i] += fmax(0, hi - lo) / l->cell_ns;
	}
}

static void draw_track(const struct line *l, const char *name, const char *style,
	const double *share, const struct et_page *page)
{
	static const char *const levels[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

	fprintf(page->out, "  %-*s│", MARGIN - 3, name);
	if (page->color)
		fprintf(page->out, "\033[%sm", style);
	for (int i = 0; i < l->cells; i++) {
		/* Even the smallest share is visible. */
		int level = et_int(round(fmin(1, share[i]) * 8));
		fputs(levels[share[i] > 0 && level == 0 ? 1 : level], page->out);
	}
	fputs(page->color ? "\033[0m\n" : "\n", page->out);
}

static void draw_axis(const struct line *l, const struct et_trace *t, const struct et_page *page)
{
	char end[ET_FIGURE];
	double window_ns = l->cells * l->cell_ns;

	fprintf(page->out, "%*s└", MARGIN - 1, "");
	for (int i = 0; i < l->cells; i++)
		fputs(l->tick[i] ? "┴" : "─", page->out);
	et_format_rounded(window_ns, 3, end);
	int gap = l->cells - 1 - et_columns(end);
	fprintf(page->out, "\n%*s0%*s%s\n", MARGIN, "", gap > 1 ? gap : 1, "", end);
	bool beginning = window_ns < 0.999 * (double)t->total_ns;
	if (beginning || l->any_tick)
		fprintf(page->out, "%*s%s%s%s\n", MARGIN, "",
			beginning ? "only the beginning is shown" : "",
			beginning && l->any_tick ? "; " : "",
			l->any_tick ? "┴ timer interrupt" : "");
	fputc('\n', page->out);
}

/* The whole trace, or the part of its beginning in which ticks are CELLS_PER_TICK apart. */
static double window_ns(const struct et_trace *t, int cells)
{
	double total = (double)t->total_ns;
	double tick = t->timer.n ? t->timer.interval / t->hz * 1e9 : 0;
	double most = tick > 0 ? cells / CELLS_PER_TICK * tick : 100e6;

	return fmin(total, most);
}

void et_timeline_draw(const struct et_trace *t, const struct et_page *page)
{
	static const char *const styles[ET_CAUSES] = { "33", "31", "35", "36", "34", "2" };
	struct line l = { .cells = page->width - MARGIN - 1 };

	if (l.cells < LEAST_CELLS || !t->total_ns || t->dropped)
		return;
	l.cells = l.cells > MOST_CELLS ? MOST_CELLS : l.cells;
	l.cell_ns = window_ns(t, l.cells) / l.cells;
	size_t n = (size_t)l.cells;
	ET_AUTO_FREE double *shares = et_calloc((ET_CAUSES + 1) * n, sizeof(*shares));
	ET_AUTO_FREE bool *ticks = et_calloc(n, sizeof(*ticks));
	double *active = shares + ET_CAUSES * n;
	l.tick = ticks;
	for (size_t c = 0; c < ET_CAUSES; c++)
		l.taken[c] = shares + c * n;
	for (size_t i = 0; i < t->n; i++)
		fill(&l, &t->list[i]);
	for (size_t i = 0; i < n; i++) {
		active[i] = 1;
		for (size_t c = 0; c < ET_CAUSES; c++)
			active[i] -= l.taken[c][i];
		/* A remainder from rounding is not activity. */
		active[i] = active[i] < 1e-9 ? 0 : active[i];
	}
	draw_track(&l, "active", "32", active, page);
	for (size_t c = 0; c < ET_CAUSES; c++) {
		if (l.any[c])
			draw_track(&l, et_cause_names[c], styles[c], l.taken[c], page);
	}
	draw_axis(&l, t, page);
}
