/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline of a trace, in a terminal and as SVG. */
#include "app/trace/view.h"
#include "base/whole.h"
#include "draw/chart.h"
#include "draw/units.h"

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
	fprintf(page->out, "  %-*s│", MARGIN - 3, name);
	if (page->color)
		fprintf(page->out, "\033[%sm", style);
	for (int i = 0; i < l->cells; i++) {
		/* Even the smallest share is visible. */
		int level = et_int(round(fmin(1, share[i]) * 8));
		fputs(et_eighths[share[i] > 0 && level == 0 ? 1 : level], page->out);
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

struct timeline {
	struct et_chart chart;
	struct et_curve *strips[STRIPS]; /* by cause, and these */
};

static void add(struct timeline *p, int strip, double from, double to, double track, char *title)
{
	et_curve_add_dot(p->strips[strip], (struct et_dot){ .x = from,
						   .end = to,
						   .y = track,
						   .title = et_chart_own(&p->chart, title) });
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
static void add_ticks(struct timeline *p, const struct et_trace *t, const double *track_of_taker,
	double track_of_others)
{
	double origin_ns = (double)t->origin / t->hz * 1e9;

	for (size_t i = 0; i < t->n_ticks; i++) {
		double at = origin_ns + (double)t->ticks[i].at_ns;
		uint32_t who = t->ticks[i].charged;
		const char *name = who == ET_TICK_SELF   ? "the traced thread"
				   : who == ET_TICK_IDLE ? "nobody"
				   : who < t->n_takers   ? t->takers[who].name
							 : "another process";
		bool own = who < t->n_takers && track_of_taker[who] > 0;
		double track = who == ET_TICK_SELF ? 0
			       : own               ? track_of_taker[who]
						   : track_of_others;
		add(p, who == ET_TICK_SELF ? TICKS : HIDDEN_TICKS, at, at, track,
			et_asprintf("tick charged to %s", name));
	}
}

static void add_trace(struct timeline *p, const struct et_trace *t)
{
	double active = et_chart_track(&p->chart, "active"), track_of[ET_CAUSES] = { 0 };
	ET_AUTO_FREE double *track_of_taker = et_calloc(t->n_takers + 1, sizeof(*track_of_taker));
	uint64_t end_ns = t->n && t->dropped ? t->list[0].start_ns : 0;
	double origin_ns = (double)t->origin / t->hz * 1e9; /* the times of the periods are those */

	for (size_t i = 0; i < t->n; i++) {
		const struct et_inactive *g = &t->list[i];
		bool own = g->cause == ET_CAUSE_PROCESS && g->taker != ET_NOBODY &&
			   is_named(t, g->taker);
		double *track = own ? &track_of_taker[g->taker] : &track_of[g->cause];
		/* Track 0 shows activity, so 0 means that this track does not exist yet. */
		if (!(*track > 0))
			*track = et_chart_track(&p->chart,
				own ? t->takers[g->taker].name : et_cause_names[g->cause]);
		if (g->start_ns > end_ns)
			add(p, ACTIVE, origin_ns + (double)end_ns, origin_ns + (double)g->start_ns,
				active, NULL);
		end_ns = g->start_ns + g->duration_ns;
		add(p, (int)g->cause, origin_ns + (double)g->start_ns, origin_ns + (double)end_ns,
			*track, title_of(t, i));
	}
	if (t->total_ns > end_ns)
		add(p, ACTIVE, origin_ns + (double)end_ns, origin_ns + (double)t->total_ns, active,
			NULL);
	add_ticks(p, t, track_of_taker, track_of[ET_CAUSE_PROCESS]);
}

static void draw(const struct et_trace *t, const struct et_chart_to *to)
{
	static const struct {
		const char *name; /* NULL: that of the cause */
		unsigned color;
	} looks[STRIPS] = { { NULL, ET_SVG_ORANGE }, { NULL, ET_SVG_RED }, { NULL, ET_SVG_PURPLE },
		{ NULL, ET_SVG_SKY }, { NULL, ET_SVG_BLUE }, { NULL, ET_SVG_GREY },
		{ "active", ET_SVG_GREEN }, { "timer interrupt", ET_SVG_ORANGE },
		{ "timer interrupt while inactive", ET_SVG_GREY } };
	struct timeline p = { .chart = { .title = "Activity",
				      .x = { .label = "time", .unit = ET_AXIS_NS },
				      .width = to->sheet ? SHEET_WIDTH : 0 } };
	struct et_chart *c = &p.chart;

	if (t->name)
		c->title = et_chart_format(c, "Activity of %s", t->name);
	else if (t->cpu >= 0)
		c->title = et_chart_format(c, "Activity on CPU %d", t->cpu);
	c->description = et_chart_format(
		c, "%.1f %% active, %zu timer interrupts", 100 * et_trace_active(t), t->timer.n);
	/* Activity comes first. */
	for (int k = 0; k < STRIPS; k++) {
		int i = !k ? ACTIVE : k <= ACTIVE ? k - 1 : k;
		p.strips[i] = et_chart_curve(
			c, i > ACTIVE ? ET_SVG_TICKS : ET_SVG_SEGMENTS, looks[i].color, NULL);
	}
	add_trace(&p, t);
	for (int i = 0; i < STRIPS; i++)
		if (p.strips[i]->n || i == ACTIVE)
			p.strips[i]->name = i < ACTIVE ? et_cause_names[i] : looks[i].name;
	c->height = to->sheet ? 120 + 40 * (int)c->n_tracks : 0;
	et_chart_put(c, to);
}

void et_trace_svg(const struct et_trace *traces, size_t n, FILE *out)
{
	const struct et_chart_to to = { .sheet = n > 1 ? et_svg_sheet_new(SHEET_WIDTH) : NULL,
		.file = out };

	for (size_t i = 0; i < n; i++)
		draw(&traces[i], &to);
	if (to.sheet)
		et_svg_sheet_write(to.sheet, "Activity", out);
}
