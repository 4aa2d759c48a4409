/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/review.h"
#include "base/parse.h"
#include "model/design/design.h"
#include "model/experiment/field.h"

enum { COLUMN = 16 };

static void print_row(const struct et_page *page, const char *label, const char *text)
{
	char lead[COLUMN + 1];

	if (!text)
		return;
	snprintf(lead, sizeof(lead), "  %-*s", COLUMN - 2, label);
	et_page_paragraph(page, COLUMN, lead, NULL, text, NULL);
}

static void print_command(const struct et_page *page, const struct et_command *c)
{
	ET_AUTO_FREE char *words = c->argv && c->argv[0] ? et_join_words(c->argv) : NULL;

	print_row(page, "setup", c->setup);
	print_row(page, "prepare", c->prepare);
	print_row(page, "command", words);
	print_row(page, "conclude", c->conclude);
	print_row(page, "cleanup", c->cleanup);
}

static void print_factors(const struct et_page *page, const struct et_design *d)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		ET_AUTO_FREE char *levels = f->levels ? et_join_words(f->levels) : NULL;
		ET_AUTO_FREE char *objects = f->objects ? et_join_words(f->objects) : NULL;
		ET_AUTO_FREE char *line = et_asprintf("%s (%s)%s%s: %s%s%s", f->name,
			et_factor_kinds[f->kind].name, f->variable ? " " : "",
			f->variable ? f->variable : "", levels ? levels : "", objects ? " of " : "",
			objects ? objects : "");
		print_row(page, "factor", line);
	}
}

static void print_design(const struct et_page *page, const struct et_design *d)
{
	print_row(page, "hook setup", d->setup);
	print_row(page, "hook between", d->between);
	print_row(page, "hook reboot", d->reboot);
	for (size_t i = 0; i < d->n_programs; i++) {
		/* A part of a campaign makes its commands of this, if they are built. */
		print_row(page, "program", d->programs[i].command);
		print_row(page, "build", d->programs[i].build);
		print_row(page, "input", d->programs[i].input);
	}
	print_factors(page, d);
}

static void print_child(const struct et_experiment *e, const struct et_page *page)
{
	for (const struct et_field *f = et_child_fields; f->name; f++) {
		if (f->kind == ET_FIELD_STRING)
			print_row(page, f->name, et_field_text(f, &e->child));
	}
}

static void print_contents(const struct et_experiment *e, const struct et_page *page)
{
	print_child(e, page);
	if (e->design)
		print_design(page, e->design);
	for (size_t i = 0; i < e->n_commands; i++)
		print_command(page, &e->commands[i]);
}

void et_review_pilots(const struct et_experiment *e, const uint32_t *commands, size_t n,
	const struct et_page *page)
{
	ET_AUTO_FREE char *last = NULL;

	et_page_paragraph(page, 0, "", NULL, "pilot runs, without hooks and builds, of:", NULL);
	print_child(e, page);
	print_factors(page, e->design);
	for (size_t i = 0; i < n; i++) {
		char *words = et_join_words(e->commands[commands[i]].argv);
		if (!last || strcmp(words, last) != 0)
			print_row(page, "command", words);
		free(last);
		last = words;
	}
}

void et_review_print(const struct et_experiment *e, const struct et_page *page)
{
	et_page_say(page, 0, "", NULL, NULL, "the record of experiment %s runs:", e->id);
	print_contents(e, page);
}

void et_review_campaign(const struct et_campaign *c, const struct et_experiment *e,
	const struct et_review_words *w, const struct et_page *page)
{
	ET_AUTO_FREE char *nodes = NULL;

	et_page_say(page, 0, "", NULL, NULL, "campaign %s runs:", c->id);
	print_row(page, "engine", c->engine);
	print_row(page, "options", c->options);
	print_row(page, "words", w->extra);
	print_row(page, "etalon", w->etalon);
	for (size_t i = 0; i < c->n_parts; i++) {
		if (c->parts[i].node)
			et_append(&nodes, ", ", "%s", c->parts[i].node);
	}
	print_row(page, "machines", nodes);
	if (e)
		print_contents(e, page);
	else
		print_row(page, "record", c->record);
}
