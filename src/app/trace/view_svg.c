/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/trace/view.h"
#include "base/alloc.h"
#include "draw/svg_sheet.h"

#include <math.h>
#include <string.h>

enum { NAMED = 5 }; /* this many processes have their own track */
enum { SHEET_WIDTH = 900 };
enum { ACTIVE = ET_CAUSES, TICKS, HIDDEN, STRIPS };

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
	char took[ET_FIGURE];

	return et_asprintf("I%llu %s%s%s %s", (unsigned long long)(t->first_index + t->dropped + i),
		et_cause_names[p->cause], *who ? " " : "", who,
		et_format_time((double)p->duration_ns, took));
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
		add(&p->strips[who == ET_TICK_SELF ? TICKS : HIDDEN], at, at, track,
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
