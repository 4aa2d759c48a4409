/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints --help, as wide as the terminal. */
#include "base/alloc.h"
#include "cmd/cli.h"
#include "report/terminal.h"

#include <string.h>

void et_cli_help_text(int indent, const char *lead, const char *text)
{
	int columns = et_cli_columns();
	struct et_page page = { .out = stdout,
		.width = columns < 40    ? 40
			 : columns > 100 ? 100
					 : columns };
	ET_AUTO_FREE char *flow = et_strdup(text);

	for (char *c = flow; *c; c++) {
		if (*c == '\n')
			*c = ' ';
	}
	et_page_paragraph(&page, indent, lead, NULL, flow, NULL);
}

/* A command whose own options have no headings needs none for the others. */
static bool has_headings(const struct et_option *table)
{
	bool has = false;

	for (; !has && table && table->name; table++)
		has = table->group;
	return has;
}

/*
 * Prints a table, with the help of this command if that differs. *heading is that of the last row:
 * a table that continues it does not repeat it.
 */
static void print_options(const struct et_verb *verb, const struct et_option *table,
	const struct et_cli *cli, const char **heading)
{
	bool flat = !has_headings(verb->options) && !has_headings(verb->shared_options);

	for (const struct et_option *o = table; o->name; o++) {
		struct et_option one[] = { *o, { 0 } };
		for (const struct et_option *d = verb->other_defaults; d && d->name; d++) {
			if (!strcmp(d->name, o->name))
				one[0].help = d->help;
		}
		if (o->group && (flat || (*heading && !strcmp(o->group, *heading))))
			one[0].group = NULL;
		*heading = o->group ? o->group : *heading;
		et_options_help(one, stdout, cli->columns);
	}
}

void et_cli_help(const struct et_cli *cli, const struct et_verb *verb)
{
	const char *line = verb->usage;
	const char *lead = "usage:", *heading = NULL;
	ET_AUTO_FREE char *title = et_asprintf("etalon %s: %s", verb->name, verb->summary);

	et_cli_help_text(0, "", title);
	putchar('\n');
	while (*line) {
		int len = (int)strcspn(line, "\n");
		printf("%-6s etalon %s %.*s\n", lead, verb->name, len, line);
		lead = "";
		line += len + (line[len] == '\n');
	}
	if (verb->about) {
		putchar('\n');
		et_cli_help_text(0, "", verb->about);
	}
	if (verb->examples)
		printf("\nexamples:\n%s", verb->examples);
	printf("\noptions:\n");
	for (size_t i = 0; et_verb_table(verb, i); i++)
		print_options(verb, et_verb_table(verb, i), cli, &heading);
}
