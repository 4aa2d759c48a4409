/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/trace/view.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "draw/units.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 12, LEAST_CELLS = 20, MOST_CELLS = 100, CELLS_PER_TICK = 3 };

struct line {
	int cells;
	double cell_ns;
	double *taken[ET_CAUSES]; /* the share of each cell that each cause took */
	char *tick;               /* the last tick of each cell: 0 none, else enum met */
	bool any[ET_CAUSES], any_tick[3];
};

enum met { MET = 1, HIDDEN }; /* whether a tick interrupted the traced thread */

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
	for (int i = first; i < l->cells && (double)i * l->cell_ns < to; i++) {
		double lo = fmax(from, (double)i * l->cell_ns);
		double hi = fmin(to, (double)(i + 1) * l->cell_ns);
		l->taken[p->cause][i] += fmax(0, hi - lo) / l->cell_ns;
	}
}

static void mark_ticks(struct line *l, const struct et_trace *t)
{
	for (size_t i = 0; i < t->n_ticks; i++) {
		int at = cell_of(l, (double)t->ticks[i].at_ns);
		enum met met = t->ticks[i].charged == ET_TICK_SELF ? MET : HIDDEN;
		if (at == l->cells)
			return;
		l->tick[at] = (char)met;
		l->any_tick[met] = true;
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

/* The axis begins at the time of the first period, which is not 0 in a part of a longer trace. */
static void draw_scale(const struct line *l, const struct et_trace *t, const struct et_page *page)
{
	char begin[ET_FIGURE] = "0", end[ET_FIGURE];
	double origin_ns = (double)t->origin / t->hz * 1e9, window_ns = l->cells * l->cell_ns;

	if (t->origin)
		et_format_rounded(origin_ns, 4, begin);
	et_format_rounded(origin_ns + window_ns, t->origin ? 4 : 3, end);
	int gap = l->cells - et_columns(begin) - et_columns(end);
	fprintf(page->out, "\n%*s%s%*s%s\n", MARGIN, "", begin, gap > 1 ? gap : 1, "", end);
}

static void draw_axis(const struct line *l, const struct et_trace *t, const struct et_page *page)
{
	static const char *const signs[] = { "─", "┴", "┬" };
	bool beginning = l->cells * l->cell_ns < 0.999 * (double)t->total_ns;

	fprintf(page->out, "%*s└", MARGIN - 1, "");
	for (int i = 0; i < l->cells; i++)
		fputs(signs[(int)l->tick[i]], page->out);
	draw_scale(l, t, page);
	ET_AUTO_FREE char *text = beginning ? et_strdup("only the beginning is shown") : NULL;
	if (l->any_tick[MET])
		et_append(&text, "; ", "┴ timer interrupt");
	if (l->any_tick[HIDDEN])
		et_append(&text, "; ", "┬ one while inactive");
	if (text)
		et_page_paragraph(page, MARGIN, "", NULL, text, NULL);
	putc('\n', page->out);
}

/* The whole trace, or the part of its beginning in which ticks are CELLS_PER_TICK apart. */
static double window_ns(const struct et_trace *t, int cells)
{
	double total = (double)t->total_ns;
	double tick = t->timer.n ? t->timer.interval / t->hz * 1e9 : 0;
	double most = tick > 0 ? cells / CELLS_PER_TICK * tick : 100e6;

	return fmin(total, most);
}

/* A letter below each tick: the process that is charged with it. */
static void draw_letters(const struct line *l, const struct et_trace *t,
	const struct et_charges *charges, const struct et_page *page)
{
	ET_AUTO_FREE char *letters = et_calloc((size_t)l->cells + 1, 1);

	memset(letters, ' ', (size_t)l->cells);
	for (size_t i = 0; i < t->n_ticks; i++) {
		int at = cell_of(l, (double)t->ticks[i].at_ns);
		if (at < l->cells)
			letters[at] = et_charge_letter(charges, t->ticks[i].charged);
	}
	fprintf(page->out, "  %-*s│%s\n", MARGIN - 3, "charged", letters);
}

void et_timeline_draw(
	const struct et_trace *t, const struct et_charges *charges, const struct et_page *page)
{
	static const char *const styles[ET_CAUSES] = { "33", "31", "35", "36", "34", "2" };
	struct line l = { .cells = page->width - MARGIN - 1 };

	if (l.cells < LEAST_CELLS || !t->total_ns || t->dropped)
		return;
	l.cells = l.cells > MOST_CELLS ? MOST_CELLS : l.cells;
	l.cell_ns = window_ns(t, l.cells) / l.cells;
	size_t n = (size_t)l.cells;
	ET_AUTO_FREE double *shares = et_calloc((ET_CAUSES + 1) * n, sizeof(*shares));
	ET_AUTO_FREE char *ticks = et_calloc(n, sizeof(*ticks));
	double *active = shares + ET_CAUSES * n;
	l.tick = ticks;
	for (size_t c = 0; c < ET_CAUSES; c++)
		l.taken[c] = shares + c * n;
	for (size_t i = 0; i < t->n; i++)
		fill(&l, &t->list[i]);
	mark_ticks(&l, t);
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
	if (l.any_tick[MET] || l.any_tick[HIDDEN])
		draw_letters(&l, t, charges, page);
	draw_axis(&l, t, page);
}
