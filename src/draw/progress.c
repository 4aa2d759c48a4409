/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/progress.h"
#include "base/memstream.h"
#include "base/whole.h"
#include "draw/terminal.h"

enum { REDRAW_NS = 100000000, BAR_MOST = 30, BAR_LEAST = 8, NAME_LEAST = 8, GAP = 2 };

/* The remaining time by the present rate and the time limit; ET_UNKNOWN if neither is known. */
static uint64_t remaining_ns(const struct et_progress_state *s)
{
	uint64_t left = ET_UNKNOWN;
	uint64_t done = s->steps ? s->steps_done : s->done, total = s->steps ? s->steps : s->total;

	if (done && total)
		left = total > done ? et_u64((double)s->elapsed_ns / (double)done *
					      (double)(total - done))
				    : 0;
	if (s->time_limit_ns) {
		uint64_t rest =
			s->time_limit_ns > s->elapsed_ns ? s->time_limit_ns - s->elapsed_ns : 0;
		left = rest < left ? rest : left;
	}
	return left;
}

/* "7/10  412.3 ms ± 1.2 ms  0:03 left": the part that has priority over name and bar. */
static char *figures(const struct et_progress_state *s)
{
	char countdown[ET_FIGURE], of[32] = "";
	uint64_t left = remaining_ns(s);

	if (s->total)
		snprintf(of, sizeof(of), "/%" PRIu64, s->total);
	if (left != ET_UNKNOWN)
		et_format_countdown(left, countdown);
	ET_AUTO_FREE char *estimate = et_clean(s->estimate ? s->estimate : "", "");
	return et_asprintf("%" PRIu64 "%s%s%s%s%s%s", s->done, of, *estimate ? "  " : "", estimate,
		left != ET_UNKNOWN ? "  " : "", left != ET_UNKNOWN ? countdown : "",
		left != ET_UNKNOWN ? " left" : "");
}

static void draw_bar(FILE *out, const struct et_progress_state *s, int cells)
{
	uint64_t done = s->steps ? s->steps_done : s->done, total = s->steps ? s->steps : s->total;
	int full = (int)((double)(done < total ? done : total) / (double)total * cells);

	for (int i = 0; i < cells; i++)
		fputs(i < full ? "█" : "░", out);
	fputs("  ", out);
}

/* The bar gets the width that the name leaves, within bounds; 0 if there is no room for it. */
static int bar_cells(int room, int name)
{
	int cells = room - GAP - (name ? name + GAP : 0);

	if (room < BAR_LEAST + GAP)
		return 0;
	return cells > BAR_MOST ? BAR_MOST : cells < BAR_LEAST ? BAR_LEAST : cells;
}

/* The line is composed in memory, so that it reaches the terminal in one write. */
static char *line(const struct et_progress_state *s, int width)
{
	ET_AUTO_FREE char *all = figures(s);
	ET_AUTO_FREE char *fitted = et_shorten(all, width);
	ET_AUTO_FREE char *clean = et_clean(s->name ? s->name : "", "");
	int room = width - et_columns(fitted);
	int cells = s->total ? bar_cells(room, et_columns(clean)) : 0;
	struct et_memstream stream;
	FILE *out = et_memstream_open(&stream);

	room -= cells ? cells + GAP : 0;
	if (*clean && (room >= NAME_LEAST + GAP || room >= et_columns(clean) + GAP)) {
		ET_AUTO_FREE char *name = et_shorten(clean, room - GAP);
		fprintf(out, "%s  ", name);
	}
	if (cells)
		draw_bar(out, s, cells);
	fputs(fitted, out);
	return et_memstream_close(&stream);
}

void et_progress_draw(struct et_progress *p, const struct et_progress_state *s, uint64_t now_ns)
{
	bool last = s->total && s->done >= s->total;

	if (!p->out || (p->drawn && !last && now_ns - p->last_ns < REDRAW_NS))
		return;
	ET_AUTO_FREE char *text = line(s, p->width > 1 ? p->width - 1 : 1);
	fprintf(p->out, "\r\033[K%s", text);
	fflush(p->out);
	p->drawn = true;
	p->last_ns = now_ns;
}

void et_progress_erase(struct et_progress *p)
{
	if (!p->out || !p->drawn)
		return;
	fputs("\r\033[K", p->out);
	fflush(p->out);
	p->drawn = false;
}
