/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/listing.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <time.h>

/* The longest text of a cell that is kept: no terminal is wider. */
enum { WIDEST = 1000 };

enum { GAP = 2, LEAST_COMMAND = 16, LEAST_LABEL = 5 };

/* The texts are clean: a terminal obeys nothing in them. */
struct et_listing_row {
	char id[40];
	char started[24];
	const char *state;
	char samples[24];
	char *label, *command;
};

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

static char *clean_cell(const char *text)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");

	return et_shorten(clean, WIDEST);
}

void et_listing_add(struct et_listing *l, const struct et_summary *s)
{
	/* The command needs the room. */
	const char *kind = s->design ? "[doe] " : s->profile ? "[p] " : "";
	ET_AUTO_FREE char *command = s->n_commands > 1
					     ? et_asprintf("%s%s (+%" PRIu32 ")", kind,
						       s->first_command, s->n_commands - 1)
					     : et_asprintf("%s%s", kind, s->first_command);
	ET_AUTO_FREE char *id = et_clean(s->id, "");

	ET_GROW(l->rows, l->n, l->cap);
	struct et_listing_row *row = &l->rows[l->n++];
	snprintf(row->id, sizeof(row->id), "%s", id);
	et_listing_when(s->started_wall_ns, l->now_wall_ns, row->started);
	row->state = et_state_names[s->state];
	snprintf(row->samples, sizeof(row->samples), "%" PRIu64, s->n_samples);
	row->label = clean_cell(s->label ? s->label : "");
	row->command = clean_cell(command);
}

/* Columns of the terminal for each column of the table; 0: it is omitted. */
struct widths {
	int id, started, state, samples, label, command;
};

static int wider(int width, const char *text)
{
	int columns = et_columns(text);

	return columns > width ? columns : width;
}

static struct widths widths_of_contents(const struct et_listing *l)
{
	struct widths w = { .started = 7, .state = 5, .samples = 7 }; /* as wide as the heading */

	for (size_t i = 0; i < l->n; i++) {
		w.id = wider(w.id, l->rows[i].id);
		w.started = wider(w.started, l->rows[i].started);
		w.state = wider(w.state, l->rows[i].state);
		w.samples = wider(w.samples, l->rows[i].samples);
		w.label = wider(w.label, l->rows[i].label);
		w.command = wider(w.command, l->rows[i].command);
	}
	return w;
}

/* Omits columns until the rest fit; label and command share the remaining width. */
static struct widths fit(struct widths w, int columns)
{
	int rest = columns - w.id - w.state - 2 * GAP;
	int label = w.label ? GAP + LEAST_LABEL : 0; /* the user chose it: it is not omitted */

	if (rest < LEAST_COMMAND / 2 + label) {
		rest += w.state + GAP;
		w.state = 0;
	}
	if (rest - w.samples - GAP < LEAST_COMMAND / 2 + label)
		w.samples = 0;
	else
		rest -= w.samples + GAP;
	if (rest - w.started - GAP < LEAST_COMMAND + label)
		w.started = 0; /* the id begins with the date and time of the start */
	else
		rest -= w.started + GAP;
	/* The label gets the width that the command does not need, at least half of the rest. */
	int half = rest / 2 > LEAST_COMMAND / 2 ? rest / 2 : LEAST_COMMAND / 2;
	int room = rest - GAP - (w.command < half ? w.command : half);
	if (w.label > room)
		w.label = room < LEAST_LABEL ? 0 : room;
	else if (w.label && w.label < LEAST_LABEL)
		w.label = LEAST_LABEL;
	w.command = rest - (w.label ? w.label + GAP : 0);
	if (w.command < LEAST_COMMAND / 2)
		w.command = LEAST_COMMAND / 2;
	return w;
}

static void print_cell(const struct et_page *page, const char *text, int width, bool right)
{
	ET_AUTO_FREE char *fitted = et_shorten(text, width);
	int pad = width - et_columns(fitted);

	if (width)
		fprintf(page->out, "%*s%s%*s", right ? pad : 0, "", fitted, (right ? 0 : pad) + GAP,
			"");
}

static void print_row(
	const struct et_page *page, const struct et_listing_row *row, const struct widths *w)
{
	ET_AUTO_FREE char *command = et_shorten(row->command, w->command);

	print_cell(page, row->id, w->id, false);
	print_cell(page, row->started, w->started, false);
	print_cell(page, row->state, w->state, false);
	print_cell(page, row->samples, w->samples, true);
	print_cell(page, row->label, w->label, false);
	fprintf(page->out, "%s\n", command);
}

void et_listing_text(const struct et_listing *l, const struct et_page *page)
{
	static const struct et_listing_row head = { "ID", "STARTED", "STATE", "SAMPLES",
		(char *)"LABEL", (char *)"COMMAND" };

	if (!l->n)
		return;
	struct widths w = fit(widths_of_contents(l), page->width);
	print_row(page, &head, &w);
	for (size_t i = 0; i < l->n; i++)
		print_row(page, &l->rows[i], &w);
}

void et_listing_free(struct et_listing *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->rows[i].label);
		free(l->rows[i].command);
	}
	free(l->rows);
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
	et_json_u64(w, "commands", s->n_commands);
	et_json_string(w, "command", s->first_command);
	et_json_string(w, "origin", s->origin ? et_origin_names[s->origin] : NULL);
	et_json_bool(w, "profile", s->profile);
	et_json_bool(w, "design", s->design);
	et_json_end(w);
}
