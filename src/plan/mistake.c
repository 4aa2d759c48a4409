/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/mistake.h"
#include "base/alloc.h"

#include <string.h>

/* Columns are characters, not bytes. */
static const char *find(const char *text, struct et_plan_place at)
{
	for (unsigned line = 1; line < at.line && *text; text++)
		line += *text == '\n';
	for (unsigned column = 1; column < at.column && *text && *text != '\n'; column++) {
		do {
			text++;
		} while ((*text & 0xc0) == 0x80);
	}
	return text;
}

static const char *line_of(const char *text, struct et_plan_place at)
{
	return find(text, (struct et_plan_place){ at.line, 1 });
}

/* After spaces and the "- " of a list. */
static const char *first_word(const char *line)
{
	line += strspn(line, " ");
	while (*line == '-' && line[1] == ' ')
		line += 1 + strspn(line + 1, " ");
	return line;
}

/* The text to the end of the line, without a comment and spaces. */
static char *rest_of(const char *s)
{
	size_t n = strcspn(s, "\n");
	const char *comment = memmem(s, n, " #", 2);

	if (comment)
		n = (size_t)(comment - s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\r'))
		n--;
	return et_strndup(s, n);
}

/* The value of a block map is the rest of its line; that of { } ends before. */
static char *value_of(const char *line, const char *value)
{
	ET_AUTO_FREE char *rest = rest_of(value);
	const char *open = memchr(line, '{', (size_t)(value - line));

	return open ? et_strndup(rest, strcspn(rest, ",")) : et_strdup(rest);
}

/* "key: {word}/more": libyaml reads a map that ends too early. */
static char *hint_of_brace(const struct et_yaml_problem *p)
{
	const char *line = line_of(p->text, p->at), *at = find(p->text, p->at);
	const char *open = NULL;

	for (const char *s = line; s + 2 < at; s++) {
		if (s[0] == ':' && s[1] == ' ' && s[1 + strspn(s + 1, " ")] == '{')
			open = s + 1 + strspn(s + 1, " ");
	}
	if (!open || open >= at || !memchr(open, '}', (size_t)(at - open)))
		return NULL;
	const char *colon = open, *key;
	while (*colon != ':')
		colon--;
	for (key = colon; key > line && !strchr(" ,{[", key[-1]);)
		key--;
	ET_AUTO_FREE char *value = value_of(line, open);
	return et_asprintf(
		"quote a value that begins with {: %.*s: '%s'", (int)(colon - key), key, value);
}

static bool begins_line(const struct et_yaml_problem *p)
{
	return find(p->text, p->at) <= first_word(line_of(p->text, p->at));
}

/* The colon of a line's first key: the line has another indentation than the map it belongs to. */
static bool is_first_colon(const struct et_yaml_problem *p)
{
	const char *line = first_word(line_of(p->text, p->at));

	return find(p->text, p->at) <= line + strcspn(line, ":");
}

/* "key:value" is one word. */
static char *hint_of_colon(const char *line)
{
	const char *word = first_word(line);
	const char *colon = word + strcspn(word, ": \n");
	ET_AUTO_FREE char *value = NULL;

	if (*colon != ':' || strchr(" \n", colon[1]))
		return NULL;
	value = rest_of(colon + 1);
	return et_asprintf(
		"put a space after the colon: %.*s: %s", (int)(colon - word), word, value);
}

/* A list or map in brackets that the next line continues has no end. */
static struct et_yaml_mistake unclosed(const struct et_yaml_problem *p)
{
	char bracket = *find(p->text, p->context);

	if (p->at.line == p->context.line)
		return (struct et_yaml_mistake){ p->at, NULL,
			et_strdup("put a comma between two values, and quote texts") };
	return (struct et_yaml_mistake){ p->context,
		et_asprintf("the %c that begins here is not closed", bracket),
		et_asprintf("add a %c at its end", bracket == '{' ? '}' : ']') };
}

static char *hint_of_character(const struct et_yaml_problem *p)
{
	const char *s = find(p->text, p->at), *line = line_of(p->text, p->at);
	ET_AUTO_FREE char *rest = rest_of(s);

	if (memchr(line, '[', (size_t)(s - line)) || memchr(line, '{', (size_t)(s - line)))
		rest[strcspn(rest, ",]}")] = '\0';
	return et_asprintf("quote a text that begins with %c: '%s'", *s, rest);
}

static char *hint_of_indentation(const struct et_yaml_problem *p)
{
	const char *word = first_word(line_of(p->text, p->at));
	size_t n = strcspn(word, ":\n");

	return et_asprintf("indent '%.*s' by as many spaces as the keys beside it, or begin the "
			   "line with '- '",
		(int)(n > 40 ? 40 : n), word);
}

static bool says(const struct et_yaml_problem *p, const char *words)
{
	return strstr(p->problem, words) != NULL;
}

/* The errors of a parser that expected a key or an item. */
static char *hint_of_structure(const struct et_yaml_problem *p)
{
	char *hint = hint_of_brace(p);

	if (hint || begins_line(p))
		return hint ? hint : hint_of_indentation(p);
	return et_strdup("quote the whole value, or none of it");
}

/* A quote that is not closed, or only by the next quote of the file. */
static struct et_yaml_mistake mistake_of_quote(const struct et_yaml_problem *p)
{
	if (p->quote.line && p->quoted.line == p->at.line)
		return (struct et_yaml_mistake){ p->quote,
			et_asprintf(
				"the quote that begins here ends only in line %u", p->quoted.line),
			et_strdup("close the quote at the end of its line") };
	return (struct et_yaml_mistake){ p->context.line ? p->context : p->at,
		et_strdup("the quote that begins here is not closed"),
		et_strdup("add the same quote at its end") };
}

static struct et_yaml_mistake mistake_of_colon(const struct et_yaml_problem *p)
{
	struct et_yaml_mistake m = { .at = p->context.line ? p->context : p->at };

	m.hint = hint_of_colon(line_of(p->text, m.at));
	if (!m.hint)
		m.hint = et_strdup("write 'KEY: VALUE', and quote a text of several lines");
	return m;
}

static char *hint_of(const struct et_yaml_problem *p)
{
	if (*find(p->text, p->at) == '\t')
		return et_strdup("indent with spaces: YAML allows no tabs there");
	if (says(p, "mapping values are not allowed"))
		return is_first_colon(p) ? hint_of_indentation(p)
					 : et_strdup("quote a text that has ': ' in it");
	if (says(p, "cannot start any token"))
		return hint_of_character(p);
	return says(p, "did not find expected") ? hint_of_structure(p) : NULL;
}

struct et_yaml_mistake et_yaml_mistake(const struct et_yaml_problem *p)
{
	struct et_yaml_mistake m = { .at = p->at };

	if (says(p, "unexpected end of stream") || says(p, "unexpected document indicator") ||
		(p->quote.line && p->quoted.line == p->at.line))
		return mistake_of_quote(p);
	if (says(p, "could not find expected ':'"))
		return mistake_of_colon(p);
	if (says(p, "expected ',' or")) {
		m.hint = hint_of_brace(p);
		return m.hint ? m : unclosed(p);
	}
	m.hint = hint_of(p);
	return m;
}
