/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints --help, as wide as the terminal. */
#include "cli/cli.h"
#include "draw/terminal.h"

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

/* "learn --env: help": the actions that take an option, and what it needs beside its group. */
static char *related_help(const struct et_verb *verb, const struct et_option *o, const char *head)
{
	bool few = __builtin_popcount(o->of) <= ET_MOST_ACTIONS;
	ET_AUTO_FREE char *actions = et_verb_list_actions(verb, few ? o->of : 0, "", "", ", ");
	ET_AUTO_FREE char *needs = et_strdup("");

	size_t len = head ? strlen(head) : 0;
	bool told = o->needs && len && !strncmp(o->needs, head, len);
	for (const char *p = told ? NULL : o->needs; p && *p; p += strspn(p, "|")) {
		et_append(&needs, *needs ? "|" : " ", "--%.*s", (int)strcspn(p, "|"), p);
		p += strcspn(p, "|");
	}
	if (!*actions && !*needs)
		return et_strdup(o->help);
	return et_asprintf("%s%s: %s", *actions ? actions : "with", needs, o->help);
}

/* Prints the usual options without headings; returns how many others there are. */
static size_t print_usual(const struct et_verb *verb, const struct et_cli *cli)
{
	struct et_option_walk at = { 0 };
	struct et_option one[] = { { 0 }, { 0 } };
	size_t others = 0;

	while (et_verb_next_option(verb, &at, &one[0])) {
		one[0].group = NULL;
		if (et_option_is_listed(verb->usual, &one[0]))
			et_options_help(one, stdout, cli->columns);
		else
			others++;
	}
	return others;
}

/* A table that continues the heading of the one before does not repeat it. */
static void print_options(const struct et_verb *verb, const struct et_cli *cli)
{
	struct et_option_walk at = { 0 };
	struct et_option one[] = { { 0 }, { 0 } };
	const char *heading = NULL, *head = NULL;
	bool flat = !has_headings(verb->options) && !has_headings(verb->shared_options);

	while (et_verb_next_option(verb, &at, &one[0])) {
		const char *group = one[0].group;
		if (group && (flat || (heading && !strcmp(group, heading))))
			one[0].group = NULL;
		heading = group ? group : heading;
		head = group ? one[0].name : head;
		ET_AUTO_FREE char *help = related_help(verb, &one[0], head);
		one[0].help = help;
		et_options_help(one, stdout, cli->columns);
	}
}

static void print_examples(const char *lines, int most)
{
	printf("\nexamples:\n");
	for (const char *line = lines; *line && most-- > 0; line = strchr(line, '\n') + 1)
		printf("%.*s", (int)(strchr(line, '\n') + 1 - line), line);
}

void et_cli_help(const struct et_cli *cli, const struct et_verb *verb, bool all)
{
	const char *line = verb->usage;
	const char *lead = "usage:";
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
		print_examples(verb->examples, all || !verb->usual ? INT_MAX : 4);
	printf("\noptions:\n");
	if (all || !verb->usual) {
		print_options(verb, cli);
		return;
	}
	size_t others = print_usual(verb, cli);
	printf("%zu more: etalon %s --help all, or man etalon-%s\n", others, verb->name,
		verb->name);
}
