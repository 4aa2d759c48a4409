/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/trace/view_charge.h"
#include "base/alloc.h"
#include "draw/table.h"
#include "num/tick_count.h"

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

static void add_row(const struct et_trace *t, const struct et_charges *all,
	const struct et_charge *c, struct et_table *table)
{
	char time[ET_FIGURE], ticks[ET_FIGURE], error[ET_FIGURE], least[ET_FIGURE], most[ET_FIGURE];
	bool range = c->least != c->most && !isnan(c->least);
	ET_AUTO_FREE char *name =
		et_asprintf("%c %s", et_charge_letter(all, c->who), name_of(t, c));

	et_table_name(table, name, NULL);
	et_table_add(table, "%s\t%s\t%s", figure(c->time, time), figure(c->by_ticks, ticks),
		error_of(c, error));
	if (table->n_columns > 4) /* with ticks of 10 ms it would repeat the one before */
		et_table_add(table, "%s%s%s", figure(c->least, least), range ? " … " : "",
			range ? figure(c->most, most) : "");
}

void et_charges_text(
	const struct et_trace *t, const struct et_charges *all, const struct et_page *page)
{
	bool chapter = fabs(all->interval / ET_CHAPTER_TICK_NS - 1) > 0.01;
	char head[32] = "by ticks";
	const struct et_table_column columns[] = {
		ET_COLUMN(NAME, page->width < 57 ? "charged to" : "ticks charged to"),
		ET_COLUMN(NUMBER, "CPU time"), ET_COLUMN(NUMBER, head), ET_COLUMN(NUMBER, "error"),
		ET_COLUMN(NUMBER, "10 ms ticks")
	};
	struct et_table table = {
		.columns = columns, .n_columns = chapter ? 5 : 4, .indent = 2, .split = true
	};

	if (all->interval > 0)
		snprintf(head, sizeof(head), "%.3g ms ticks", all->interval / 1e6);
	for (size_t i = 0; i < all->n && i < SHOWN; i++)
		add_row(t, all, &all->list[i], &table);
	et_table_print(&table, page);
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
