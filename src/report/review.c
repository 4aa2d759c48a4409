/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/review.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "model/field.h"

enum { COLUMN = 13 };

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

void et_review_print(const struct et_experiment *e, const struct et_page *page)
{
	ET_AUTO_FREE char *head = et_asprintf("the record of experiment %s runs:", e->id);

	et_page_paragraph(page, 0, "", NULL, head, NULL);
	for (const struct et_field *f = et_child_fields; f->name; f++) {
		if (f->kind == ET_FIELD_STRING)
			print_row(page, f->name, et_field_text(f, &e->child));
	}
	for (size_t i = 0; i < e->n_commands; i++)
		print_command(page, &e->commands[i]);
}
