/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe status PLAN`: how far the experiment of a plan has come. */
#include "app/doe/doe.h"
#include "base/display.h"
#include "campaign/campaign.h"
#include "source/stored.h"

#include <time.h>

/* Whether a process runs the experiment now: it holds the claim. */
static bool is_running(struct et_cli *cli, const struct et_experiment *e)
{
	struct et_store *store;
	struct et_error ignored;

	if (e->state != ET_STATE_RUNNING || et_stored_open(cli, ET_STORE_WRITE, &store, &ignored))
		return false;
	int rc = et_store_claim(store, e->id, &ignored);
	et_store_close(store);
	return rc == -EBUSY;
}

/* Experiments of several machines are a list. w is NULL: as text. */
static void show(struct et_cli *cli, const struct et_doe_loaded *l, const struct et_page *page,
	struct et_json *w)
{
	ET_AUTO_FREE char *line = l->plan ? et_doe_line("run", l->plan, NULL) : NULL;

	if (w && l->n > 1)
		et_json_array(w, NULL);
	for (size_t i = 0; i < l->n; i++) {
		const struct et_experiment *e = l->list[i];
		struct et_design_progress progress;
		struct et_doe_state s = { e, &progress, is_running(cli, e), line };
		if (!w && l->n > 1)
			et_say(stdout, "%s%s, on %s: ", i ? "\n" : "", e->id, e->host.name);
		et_design_progress_read(e, &progress);
		if (w)
			et_doe_status_json(&s, w);
		else
			et_doe_status_text(&s, page);
		et_design_progress_free(&progress);
	}
	if (w && l->n > 1)
		et_json_end(w);
}

int et_doe_status(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	const struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_doe_loaded l = { .whole = true };
	struct et_json w;
	int rc = et_doe_load(cli, call->operands[0], &l, err);

	et_json_init(&w, stdout, 2);
	if (rc == 0 && !l.campaign)
		show(cli, &l, &page, r->json ? &w : NULL);
	else if (rc == 0 && r->json)
		et_campaign_status_json(l.campaign, &w);
	else if (rc == 0)
		et_campaign_status_text(l.campaign, &page);
	et_doe_loaded_free(&l);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
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
	char left[ET_LEFT], begun[32], ended[32];
	char *text = et_asprintf("%" PRIu64 " of %" PRIu64 " runs are done%s", p->done, p->total,
		et_format_left(p->left_ns, left));

	format_when(e->started_wall_ns, begun);
	format_when(e->finished_wall_ns, ended);
	if (s->running)
		et_append(&text, "; ", "running since %s", begun);
	else if (e->state == ET_STATE_RUNNING)
		et_append(&text, "; ", "begun %s, then killed", begun);
	else
		et_append(&text, "; ", "begun %s, %s %s", begun,
			awaits_restart(s)                  ? "waiting for a restart since"
			: e->state == ET_STATE_INTERRUPTED ? "interrupted"
							   : "ended",
			ended);
	if (p->n_failed)
		et_append(&text, "; ", "%zu of %zu failed", p->n_failed, p->n_cells);
	return text;
}

static void print_table(const struct et_doe_state *s, const struct et_page *page)
{
	const struct et_design *d = s->e->design;
	struct et_table t = { .split = true };

	et_table_column(&t, ET_TABLE_NAME, "treatment");
	for (size_t k = 0; k < d->n_programs; k++)
		et_table_column(&t, ET_TABLE_NUMBER, d->programs[k].name);
	for (uint32_t i = 0; i < d->n_treatments; i++) {
		et_table_name(&t, d->treatments[i].name, NULL);
		for (uint32_t k = 0; k < d->n_programs; k++) {
			const struct et_design_cell *c =
				&s->progress->cells[et_design_command(d, i, k)];
			if (c->is_failed)
				et_table_add(&t, "failed");
			else
				et_table_add(
					&t, "%u/%u", c->discarded + c->done, s->progress->per_cell);
		}
	}
	et_table_print(&t, page);
}

static void print_failures(const struct et_doe_state *s, const struct et_page *page)
{
	char why[80];

	for (size_t i = 0; i < s->progress->n_cells; i++) {
		const struct et_design_cell *c = &s->progress->cells[i];
		if (!c->is_failed)
			continue;
		ET_AUTO_FREE char *lead = et_clean(s->e->commands[i].name, "");
		et_doe_say(page, NULL, "failed: %s: %s", lead, et_doe_format_failure(c, why));
	}
}

void et_doe_status_text(const struct et_doe_state *s, const struct et_page *page)
{
	const struct et_design_progress *p = s->progress;
	ET_AUTO_FREE char *head = head_of(s);

	et_page_paragraph(page, 0, "", NULL, head, NULL);
	if (s->continuation && !s->running && p->done < p->total)
		fprintf(page->out, "hint: run '%s' to %s\n", s->continuation,
			s->e->state == ET_STATE_FAILED ? "try again what failed" : "continue");
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
