/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/listing.h"

#include <time.h>

void et_listing_when(uint64_t wall_ns, uint64_t now_ns, char buf[24])
{
	time_t then = (time_t)(wall_ns / 1000000000u), now = (time_t)(now_ns / 1000000000u);
	struct tm a, b;
	const char *format = "%Y-%m-%d";

	localtime_r(&then, &a);
	localtime_r(&now, &b);
	if (a.tm_year == b.tm_year)
		format = a.tm_yday == b.tm_yday ? "%H:%M:%S" : "%b %e %H:%M";
	if (!strftime(buf, 24, format, &a))
		buf[0] = '\0';
}

void et_time_json(struct et_json *w, const char *key, const void *wall_ns)
{
	uint64_t ns = *(const uint64_t *)wall_ns;
	char buf[32];

	et_json_string(w, key, ns ? et_format_rfc3339(ns, buf) : NULL);
}

void et_listing_add(struct et_listing *l, const struct et_summary *s, const char *mark)
{
	/* The id begins with the date and time of the start; the user chose the label. */
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "ID"),
		ET_COLUMN(TEXT, "STARTED", .drop = 2), ET_COLUMN(TEXT, "STATE", .drop = 4),
		ET_COLUMN(NUMBER, "SAMPLES", .drop = 3), ET_COLUMN(NUMBER, "TIME", .drop = 1),
		ET_COLUMN(NAME, "LABEL", .least = 5), ET_COLUMN(NAME, "COMMAND") };
	ET_AUTO_FREE char *command = s->n_commands > 1
					     ? et_asprintf("%s%s (+%" PRIu32 ")", mark,
						       s->first_command, s->n_commands - 1)
					     : et_asprintf("%s%s", mark, s->first_command);
	char started[24], time[ET_FIGURE] = "";

	l->table.columns = columns;
	l->table.n_columns = ET_LENGTH(columns);
	l->table.spare = 1; /* the time */
	et_listing_when(s->started_wall_ns, l->now_wall_ns, started);
	et_table_name(&l->table, s->id, NULL);
	if (s->mean_ns > 0)
		et_format_rounded(s->mean_ns, 3, time);
	et_table_add(&l->table, "%s\t%s\t%" PRIu64 "\t%s", started, et_state_names[s->state],
		s->n_samples, time);
	et_table_name(&l->table, s->label, NULL);
	et_table_name(&l->table, command, NULL);
}

void et_listing_text(struct et_listing *l, const struct et_page *page)
{
	if (l->table.n_cells)
		et_table_print(&l->table, page);
}

void et_listing_json(const struct et_summary *s, struct et_json *w)
{
	char buf[32];

	et_json_flat_object(w, NULL);
	et_json_string(w, "id", s->id);
	et_json_string(w, "label", s->label);
	et_json_string(w, "started", et_format_rfc3339(s->started_wall_ns, buf));
	et_json_string(w, "state", et_state_names[s->state]);
	et_json_u64(w, "samples", s->n_samples);
	et_json_double(w, "mean_ns", s->mean_ns > 0 ? s->mean_ns : NAN);
	et_json_u64(w, "commands", s->n_commands);
	et_json_string(w, "command", s->first_command);
	et_json_string(w, "origin", s->origin ? et_origin_names[s->origin] : NULL);
	et_json_bool(w, "profile", s->profile);
	et_json_bool(w, "design", s->design);
	et_json_end(w);
}
