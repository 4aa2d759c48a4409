/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/doe_status.h"
#include "base/alloc.h"
#include "report/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { NAME_MOST = 48, CELL_LEAST = 7 };

static void format_span(double seconds, char *buf, size_t size)
{
	if (seconds < 90)
		snprintf(buf, size, "%.0f s", ceil(seconds));
	else if (seconds < 90 * 60)
		snprintf(buf, size, "%.0f min", ceil(seconds / 60));
	else if (seconds < 48 * 3600)
		snprintf(buf, size, "%.1f h", seconds / 3600);
	else
		snprintf(buf, size, "%.1f d", seconds / 86400);
}

const char *et_doe_format_left(const struct et_design_progress *p, char buf[ET_FIGURE + 20])
{
	char span[ET_FIGURE];

	buf[0] = '\0';
	if (isnan(p->left_ns) || !(p->left_ns > 0))
		return buf;
	format_span(p->left_ns / 1e9, span, sizeof(span));
	snprintf(buf, ET_FIGURE + 20, ", about %s left", span);
	return buf;
}

const char *et_doe_format_failure(const struct et_design_cell *c, char buf[80])
{
	if (c->signal)
		snprintf(buf, 80, "signal %d (%s)", c->signal, strsignal(c->signal));
	else if (c->exit_code == 127)
		snprintf(buf, 80, "exit status 127: it could not be executed");
	else
		snprintf(buf, 80, "exit status %d", c->exit_code);
	return buf;
}

static const char *format_when(uint64_t wall_ns, char buf[32])
{
	time_t t = (time_t)(wall_ns / 1000000000u);
	struct tm tm;

	localtime_r(&t, &tm);
	if (!strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm))
		buf[0] = '\0';
	return buf;
}

/* An experiment is "running" in the store until its process says otherwise. */
static const char *state_of(const struct et_doe_state *s)
{
	if (s->running)
		return "running";
	if (s->e->state == ET_STATE_RUNNING)
		return "killed";
	return et_state_names[s->e->state];
}

/* With the hook `reboot` a session ends after each treatment. */
static bool awaits_restart(const struct et_doe_state *s)
{
	const struct et_design_progress *p = s->progress;
	uint64_t treatment = (uint64_t)p->per_cell * s->e->design->n_programs;

	return s->e->design->reboot && s->e->state == ET_STATE_INTERRUPTED && p->done &&
	       treatment && p->done % treatment == 0;
}

static char *head_of(const struct et_doe_state *s)
{
	const struct et_experiment *e = s->e;
	const struct et_design_progress *p = s->progress;
	char left[ET_FIGURE + 20], begun[32], ended[32];
	struct et_memstream m;
	FILE *out = et_memstream_open(&m);

	format_when(e->started_wall_ns, begun);
	format_when(e->finished_wall_ns, ended);
	fprintf(out, "%" PRIu64 " of %" PRIu64 " runs are done%s; ", p->done, p->total,
		et_doe_format_left(p, left));
	if (s->running)
		fprintf(out, "running since %s", begun);
	else if (e->state == ET_STATE_RUNNING)
		fprintf(out, "begun %s, then killed", begun);
	else if (awaits_restart(s))
		fprintf(out, "begun %s, waiting for a restart since %s", begun, ended);
	else if (e->state == ET_STATE_INTERRUPTED)
		fprintf(out, "begun %s, interrupted %s", begun, ended);
	else
		fprintf(out, "begun %s, ended %s", begun, ended);
	if (p->n_failed)
		fprintf(out, "; %zu of %zu failed", p->n_failed, p->n_cells);
	return et_memstream_close(&m);
}

static void print_head(const struct et_doe_state *s, const struct et_page *page)
{
	const struct et_design_progress *p = s->progress;
	ET_AUTO_FREE char *head = head_of(s);

	et_page_paragraph(page, 0, "", NULL, head, NULL);
	if (s->continuation && !s->running && p->done < p->total)
		fprintf(page->out, "hint: run '%s' to %s\n", s->continuation,
			s->e->state == ET_STATE_FAILED ? "try again what failed" : "continue");
}

static int width_of_names(const struct et_design *d)
{
	int width = (int)strlen("treatment");

	for (size_t i = 0; i < d->n_treatments; i++) {
		ET_AUTO_FREE char *name = et_clean(d->treatments[i].name, "");
		int columns = et_columns(name);
		width = columns > width ? columns : width;
	}
	return width > NAME_MOST ? NAME_MOST : width;
}

static void print_name(const struct et_page *page, const char *text, int width)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");
	ET_AUTO_FREE char *name = et_shorten(clean, width);

	fprintf(page->out, "%s%*s", name, width - et_columns(name), "");
}

static int width_of_program(const char *name)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");
	int columns = et_columns(clean);

	return 2 + (columns > CELL_LEAST ? columns : CELL_LEAST);
}

static void print_cell(
	const struct et_doe_state *s, const struct et_page *page, size_t number, int width)
{
	const struct et_design_cell *c = &s->progress->cells[number];
	char text[40];

	if (c->is_failed)
		snprintf(text, sizeof(text), "failed");
	else
		snprintf(
			text, sizeof(text), "%u/%u", c->discarded + c->done, s->progress->per_cell);
	et_cell(page, width, text);
}

static void print_table(const struct et_doe_state *s, const struct et_page *given)
{
	const struct et_design *d = s->e->design;
	struct et_rows rows;
	const struct et_page *page = et_rows_begin(&rows, given);
	int width = width_of_names(d);

	print_name(page, "treatment", width);
	for (size_t k = 0; k < d->n_programs; k++) {
		ET_AUTO_FREE char *name = et_clean(d->programs[k].name, "");
		et_cell(page, width_of_program(name), name);
	}
	putc('\n', page->out);
	for (uint32_t i = 0; i < d->n_treatments; i++) {
		print_name(page, d->treatments[i].name, width);
		for (uint32_t k = 0; k < d->n_programs; k++)
			print_cell(s, page, et_design_command(d, i, k),
				width_of_program(d->programs[k].name));
		putc('\n', page->out);
	}
	et_rows_end(&rows);
}

static void print_failures(const struct et_doe_state *s, const struct et_page *page)
{
	char why[80];

	for (size_t i = 0; i < s->progress->n_cells; i++) {
		const struct et_design_cell *c = &s->progress->cells[i];
		if (!c->is_failed)
			continue;
		ET_AUTO_FREE char *lead = et_clean(s->e->commands[i].name, "");
		ET_AUTO_FREE char *line =
			et_asprintf("failed: %s: %s", lead, et_doe_format_failure(c, why));
		et_page_paragraph(page, 2, "", NULL, line, NULL);
	}
}

void et_doe_status_text(const struct et_doe_state *s, const struct et_page *page)
{
	print_head(s, page);
	putc('\n', page->out);
	print_table(s, page);
	print_failures(s, page);
}

static void write_cell(const struct et_doe_state *s, uint32_t number, struct et_json *w)
{
	const struct et_design *d = s->e->design;
	const struct et_design_cell *c = &s->progress->cells[number];
	char why[80];

	et_json_flat_object(w, NULL);
	et_json_string(w, "treatment", d->treatments[et_design_treatment_of(d, number)].name);
	et_json_string(w, "program", d->programs[et_design_program_of(d, number)].name);
	et_json_int(w, "discarded", c->discarded);
	et_json_int(w, "done", c->done);
	et_json_int(w, "failures", c->failed);
	et_json_bool(w, "failed", c->is_failed);
	et_json_string(w, "last_error", c->failed ? et_doe_format_failure(c, why) : NULL);
	et_json_end(w);
}

void et_doe_status_json(const struct et_doe_state *s, struct et_json *w)
{
	const struct et_design_progress *p = s->progress;
	char buf[32];

	et_json_object(w, NULL);
	et_json_string(w, "name", s->e->design->name);
	et_json_string(w, "id", s->e->id);
	et_json_string(w, "state", state_of(s));
	et_json_string(w, "host", s->e->host.name);
	et_json_string(w, "started", et_format_rfc3339(s->e->started_wall_ns, buf));
	et_json_u64(w, "runs_done", p->done);
	et_json_u64(w, "runs", p->total);
	et_json_u64(w, "runs_per_program", p->per_cell);
	et_json_double(w, "seconds_left", p->left_ns / 1e9);
	et_json_u64(w, "failed", p->n_failed);
	et_json_array(w, "cells");
	for (uint32_t i = 0; i < p->n_cells; i++)
		write_cell(s, i, w);
	et_json_end(w);
	et_json_end(w);
}
