/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline of a trace, in a terminal and as SVG. */
#include "app/trace/view.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "draw/svg_sheet.h"
#include "draw/units.h"

#include <math.h>
#include <string.h>

/* --- in a terminal --- */

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

/* --- as SVG --- */

enum { NAMED = 5 }; /* this many processes have their own track */
enum { SHEET_WIDTH = 900 };
enum { ACTIVE = ET_CAUSES, TICKS, HIDDEN_TICKS, STRIPS };

/* A series of one colour, to which segments are appended; each may have a tooltip. */
struct strip {
	double *x, *x_end, *y;
	char **titles;
	size_t n, cap, cap_x_end, cap_y, cap_titles;
};

struct timeline {
	char **tracks;
	size_t n_tracks, cap_tracks;
	struct strip strips[STRIPS]; /* by cause, and these */
};

static void add(struct strip *s, double from, double to, size_t track, char *title)
{
	ET_GROW(s->x, s->n, s->cap);
	ET_GROW(s->x_end, s->n, s->cap_x_end);
	ET_GROW(s->y, s->n, s->cap_y);
	ET_GROW(s->titles, s->n, s->cap_titles);
	s->x[s->n] = from;
	s->x_end[s->n] = to;
	s->y[s->n] = (double)track;
	s->titles[s->n++] = title;
}

static void free_strip(struct strip *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->titles[i]);
	free(s->titles);
	free(s->x);
	free(s->x_end);
	free(s->y);
}

static size_t add_track(struct timeline *p, const char *name)
{
	ET_GROW(p->tracks, p->n_tracks, p->cap_tracks);
	p->tracks[p->n_tracks] = et_strdup(name);
	return p->n_tracks++;
}

/* Whether a process is among the NAMED that took most, which have their own track. */
static bool is_named(const struct et_trace *t, uint32_t taker)
{
	size_t above = 0;

	for (size_t i = 0; i < t->n_takers; i++)
		above += t->takers[i].cause == ET_CAUSE_PROCESS &&
			 t->takers[i].ns > t->takers[taker].ns;
	return above < NAMED;
}

static char *title_of(const struct et_trace *t, size_t i)
{
	const struct et_inactive *p = &t->list[i];
	const char *who = p->taker == ET_NOBODY ? "" : t->takers[p->taker].name;

	return et_asprintf("I%llu %s%s%s %s", (unsigned long long)(t->first_index + t->dropped + i),
		et_cause_names[p->cause], *who ? " " : "", who,
		et_format_time((double)p->duration_ns, ET_BUF));
}

/* A tick is drawn in the track of the process that it is charged to, as far as there is one. */
static void add_ticks(struct timeline *p, const struct et_trace *t, const size_t *track_of_taker,
	size_t track_of_others)
{
	double origin_ns = (double)t->origin / t->hz * 1e9;

	for (size_t i = 0; i < t->n_ticks; i++) {
		double at = origin_ns + (double)t->ticks[i].at_ns;
		uint32_t who = t->ticks[i].charged;
		const char *name = who == ET_TICK_SELF   ? "the traced thread"
				   : who == ET_TICK_IDLE ? "nobody"
				   : who < t->n_takers   ? t->takers[who].name
							 : "another process";
		size_t track = who == ET_TICK_SELF                        ? 0
			       : who < t->n_takers && track_of_taker[who] ? track_of_taker[who]
									  : track_of_others;
		add(&p->strips[who == ET_TICK_SELF ? TICKS : HIDDEN_TICKS], at, at, track,
			et_asprintf("tick charged to %s", name));
	}
}

static void add_trace(struct timeline *p, const struct et_trace *t)
{
	size_t active = add_track(p, "active"), track_of[ET_CAUSES] = { 0 };
	ET_AUTO_FREE size_t *track_of_taker = et_calloc(t->n_takers + 1, sizeof(size_t));
	uint64_t end_ns = t->n && t->dropped ? t->list[0].start_ns : 0;
	double origin_ns = (double)t->origin / t->hz * 1e9; /* the times of the periods are those */

	for (size_t i = 0; i < t->n; i++) {
		const struct et_inactive *g = &t->list[i];
		bool own = g->cause == ET_CAUSE_PROCESS && g->taker != ET_NOBODY &&
			   is_named(t, g->taker);
		size_t *track = own ? &track_of_taker[g->taker] : &track_of[g->cause];
		/* Track 0 shows activity, so 0 means that this track does not exist yet. */
		if (!*track)
			*track = add_track(
				p, own ? t->takers[g->taker].name : et_cause_names[g->cause]);
		if (g->start_ns > end_ns)
			add(&p->strips[ACTIVE], origin_ns + (double)end_ns,
				origin_ns + (double)g->start_ns, active, NULL);
		end_ns = g->start_ns + g->duration_ns;
		add(&p->strips[g->cause], origin_ns + (double)g->start_ns,
			origin_ns + (double)end_ns, *track, title_of(t, i));
	}
	if (t->total_ns > end_ns)
		add(&p->strips[ACTIVE], origin_ns + (double)end_ns, origin_ns + (double)t->total_ns,
			active, NULL);
	add_ticks(p, t, track_of_taker, track_of[ET_CAUSE_PROCESS]);
}

/* Draws one trace into the sheet, or into a file of its own if there is none. */
static void draw(const struct et_trace *t, struct et_svg_sheet *sheet, FILE *out)
{
	static const unsigned colors[STRIPS] = { ET_SVG_ORANGE, ET_SVG_RED, ET_SVG_PURPLE,
		ET_SVG_SKY, ET_SVG_BLUE, ET_SVG_GREY, ET_SVG_GREEN, ET_SVG_ORANGE, ET_SVG_GREY };
	static const char *const names[] = { "active", "timer interrupt",
		"timer interrupt while inactive" };
	struct et_svg_series series[STRIPS];
	char title[128] = "Activity", description[128];
	struct timeline p = { 0 };
	size_t n_series = 0;

	add_trace(&p, t);
	if (t->name)
		snprintf(title, sizeof(title), "Activity of %s", t->name);
	else if (t->cpu >= 0)
		snprintf(title, sizeof(title), "Activity on CPU %d", t->cpu);
	snprintf(description, sizeof(description), "%.1f %% active, %zu timer interrupts",
		100 * et_trace_active(t), t->timer.n);
	/* Activity comes first. */
	for (size_t k = 0; k < STRIPS; k++) {
		size_t i = !k ? ACTIVE : k <= ACTIVE ? k - 1 : k;
		const struct strip *s = &p.strips[i];
		if (s->n || i == ACTIVE)
			series[n_series++] =
				(struct et_svg_series){ .name = i < ACTIVE ? et_cause_names[i]
									   : names[i - ACTIVE],
					.shape = i > ACTIVE ? ET_SVG_TICKS : ET_SVG_SEGMENTS,
					.color = colors[i],
					.x = s->x,
					.y = s->y,
					.x_end = s->x_end,
					.titles = (const char *const *)s->titles,
					.n = s->n };
	}
	struct et_chart chart = { .title = title,
		.description = description,
		.x = { .label = "time", .unit = ET_AXIS_NS },
		.y = { .tracks = (const char *const *)p.tracks, .n_tracks = p.n_tracks },
		.series = series,
		.n_series = n_series };
	if (sheet) {
		chart.width = SHEET_WIDTH;
		chart.height = 120 + 40 * (int)p.n_tracks;
		et_svg_sheet_add(sheet, &chart);
	} else {
		et_svg_write(&chart, out);
	}
	for (size_t i = 0; i < STRIPS; i++)
		free_strip(&p.strips[i]);
	for (size_t i = 0; i < p.n_tracks; i++)
		free(p.tracks[i]);
	free(p.tracks);
}

void et_trace_svg(const struct et_trace *traces, size_t n, FILE *out)
{
	struct et_svg_sheet *sheet = n > 1 ? et_svg_sheet_new(SHEET_WIDTH) : NULL;

	for (size_t i = 0; i < n; i++)
		draw(&traces[i], sheet, out);
	if (sheet)
		et_svg_sheet_write(sheet, "Activity", out);
}
