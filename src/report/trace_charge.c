/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/trace_charge.h"
#include "base/alloc.h"
#include "num/tick_count.h"
#include "report/rows.h"
#include "report/units.h"

#include <math.h>

enum { SHOWN = 8 }; /* rows, and letters */

char et_charge_letter(const struct et_charges *all, uint32_t who)
{
	for (size_t i = 0; i < all->n && i < SHOWN; i++) {
		if (all->list[i].who == who)
			return (char)('A' + i);
	}
	return who == ET_TICK_IDLE ? '-' : '+';
}

static const char *name_of(const struct et_trace *t, const struct et_charge *c)
{
	if (c->who == ET_TICK_SELF)
		return t->name ? t->name : "the traced thread";
	return c->name ? c->name : "another process";
}

static const char *figure(double ns, char buf[ET_FIGURE])
{
	if (isnan(ns))
		snprintf(buf, ET_FIGURE, "–");
	else if (ns == 0)
		snprintf(buf, ET_FIGURE, "0");
	else
		et_format_rounded(ns, 3, buf);
	return buf;
}

/* "+3.2 %", or nothing to compare. */
static const char *error_of(const struct et_charge *c, char buf[ET_FIGURE])
{
	if (c->time > 0 && !isnan(c->by_ticks))
		snprintf(buf, ET_FIGURE, "%+.0f %%", 100 * (c->by_ticks / c->time - 1));
	else
		snprintf(buf, ET_FIGURE, "–");
	return buf;
}

static void print_row(const struct et_trace *t, const struct et_charges *all, size_t i,
	const struct et_page *page, int room, bool chapter)
{
	const struct et_charge *c = &all->list[i];
	char buf[ET_FIGURE], least[ET_FIGURE], most[ET_FIGURE];
	ET_AUTO_FREE char *clean = et_clean(name_of(t, c), "");
	ET_AUTO_FREE char *shown = et_shorten(clean, room - 4);

	fprintf(page->out, "  %c %s%*s", et_charge_letter(all, c->who), shown,
		room - 4 - et_columns(shown), "");
	et_right(page, 12, figure(c->time, buf));
	et_cell(page, 15, figure(c->by_ticks, buf));
	et_right(page, 9, error_of(c, buf));
	if (chapter) {
		ET_AUTO_FREE char *range = c->least == c->most || isnan(c->least)
						   ? et_strdup(figure(c->least, buf))
						   : et_asprintf("%s … %s", figure(c->least, least),
							     figure(c->most, most));
		et_cell(page, 19, range);
	}
	putc('\n', page->out);
}

void et_charges_text(
	const struct et_trace *t, const struct et_charges *all, const struct et_page *page)
{
	int room = page->width < 58 ? page->width - 36 : 22;
	/* With ticks of 10 ms the last column would repeat the one before it. */
	bool chapter = fabs(all->interval / ET_CHAPTER_TICK_NS - 1) > 0.01;
	char head[32] = "by ticks";
	struct et_rows rows;

	if (all->interval > 0)
		snprintf(head, sizeof(head), "%.3g ms ticks", all->interval / 1e6);
	const struct et_page *table = et_rows_begin(&rows, page);
	fprintf(table->out, "  %-*s", room - 2,
		page->width < 57 ? "charged to" : "ticks charged to");
	et_right(table, 12, "CPU time");
	et_cell(table, 15, head);
	et_right(table, 9, "error");
	if (chapter)
		et_cell(table, 19, "10 ms ticks");
	putc('\n', table->out);
	for (size_t i = 0; i < all->n && i < SHOWN; i++)
		print_row(t, all, i, table, room, chapter);
	et_rows_end(&rows);
	if (all->n > SHOWN)
		fprintf(page->out, "    and %zu more\n", all->n - SHOWN);
	putc('\n', page->out);
}

static void json_charge(const struct et_charge *c, const struct et_charges *all, struct et_json *w)
{
	char letter[2] = { et_charge_letter(all, c->who), '\0' };

	et_json_flat_object(w, NULL);
	et_json_string(w, "letter", letter);
	et_json_string(w, "process", c->name);
	et_json_bool(w, "traced", c->who == ET_TICK_SELF);
	et_json_double(w, "time_ns", c->time);
	et_json_double(w, "charged_ns", c->by_ticks);
	et_json_double(w, "least_by_10ms_ns", c->least);
	et_json_double(w, "most_by_10ms_ns", c->most);
	et_json_double(w, "user_ns", c->user);
	et_json_double(w, "system_ns", c->system);
	et_json_double(w, "charged_user_ns", c->user_by_ticks);
	et_json_double(w, "charged_system_ns", c->system_by_ticks);
	et_json_end(w);
}

void et_charges_json(const struct et_charges *all, struct et_json *w)
{
	et_json_array(w, "charges");
	for (size_t i = 0; i < all->n; i++)
		json_charge(&all->list[i], all, w);
	et_json_end(w);
}
