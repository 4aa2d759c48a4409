/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"
#include "plan/reader.h"

#include <yaml.h>

/* --- mistakes of beginners --- */

/* An error of libyaml, and where it found it. */
struct problem {
	const char *text;                   /* the document */
	const char *problem;                /* libyaml's words */
	struct et_plan_place at, context;   /* of the problem; of what it was reading */
	struct et_plan_place quote, quoted; /* the last quoted text of several lines, or 0 */
};

struct mistake {
	struct et_plan_place at; /* where the mistake is */
	char *what;              /* instead of libyaml's words; NULL: those */
	char *hint;              /* or NULL */
};

/* Columns are characters, not bytes. */
static const char *find_place(const char *text, struct et_plan_place at)
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
	return find_place(text, (struct et_plan_place){ at.line, 1 });
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
static char *hint_of_brace(const struct problem *p)
{
	const char *line = line_of(p->text, p->at), *at = find_place(p->text, p->at);
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

static bool begins_line(const struct problem *p)
{
	return find_place(p->text, p->at) <= first_word(line_of(p->text, p->at));
}

/* The colon of a line's first key: the line has another indentation than the map it belongs to. */
static bool is_first_colon(const struct problem *p)
{
	const char *line = first_word(line_of(p->text, p->at));

	return find_place(p->text, p->at) <= line + strcspn(line, ":");
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
static struct mistake unclosed(const struct problem *p)
{
	char bracket = *find_place(p->text, p->context);

	if (p->at.line == p->context.line)
		return (struct mistake){ p->at, NULL,
			et_strdup("put a comma between two values, and quote texts") };
	return (struct mistake){ p->context,
		et_asprintf("the %c that begins here is not closed", bracket),
		et_asprintf("add a %c at its end", bracket == '{' ? '}' : ']') };
}

static char *hint_of_character(const struct problem *p)
{
	const char *s = find_place(p->text, p->at), *line = line_of(p->text, p->at);
	ET_AUTO_FREE char *rest = rest_of(s);

	if (memchr(line, '[', (size_t)(s - line)) || memchr(line, '{', (size_t)(s - line)))
		rest[strcspn(rest, ",]}")] = '\0';
	return et_asprintf("quote a text that begins with %c: '%s'", *s, rest);
}

static char *hint_of_indentation(const struct problem *p)
{
	const char *word = first_word(line_of(p->text, p->at));
	size_t n = strcspn(word, ":\n");

	return et_asprintf("indent '%.*s' by as many spaces as the keys beside it, or begin the "
			   "line with '- '",
		(int)(n > 40 ? 40 : n), word);
}

static bool says(const struct problem *p, const char *words)
{
	return strstr(p->problem, words) != NULL;
}

/* The errors of a parser that expected a key or an item. */
static char *hint_of_structure(const struct problem *p)
{
	char *hint = hint_of_brace(p);

	if (hint || begins_line(p))
		return hint ? hint : hint_of_indentation(p);
	return et_strdup("quote the whole value, or none of it");
}

/* A quote that is not closed, or only by the next quote of the file. */
static struct mistake mistake_of_quote(const struct problem *p)
{
	if (p->quote.line && p->quoted.line == p->at.line)
		return (struct mistake){ p->quote,
			et_asprintf(
				"the quote that begins here ends only in line %u", p->quoted.line),
			et_strdup("close the quote at the end of its line") };
	return (struct mistake){ p->context.line ? p->context : p->at,
		et_strdup("the quote that begins here is not closed"),
		et_strdup("add the same quote at its end") };
}

static struct mistake mistake_of_colon(const struct problem *p)
{
	struct mistake m = { .at = p->context.line ? p->context : p->at };

	m.hint = hint_of_colon(line_of(p->text, m.at));
	if (!m.hint)
		m.hint = et_strdup("write 'KEY: VALUE', and quote a text of several lines");
	return m;
}

static char *hint_of(const struct problem *p)
{
	if (*find_place(p->text, p->at) == '\t')
		return et_strdup("indent with spaces: YAML allows no tabs there");
	if (says(p, "mapping values are not allowed"))
		return is_first_colon(p) ? hint_of_indentation(p)
					 : et_strdup("quote a text that has ': ' in it");
	if (says(p, "cannot start any token"))
		return hint_of_character(p);
	return says(p, "did not find expected") ? hint_of_structure(p) : NULL;
}

/* Guesses which mistake of beginners made libyaml report an error. The texts are for free(). */
static struct mistake mistake_of(const struct problem *p)
{
	struct mistake m = { .at = p->at };

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

/* --- the tree --- */

enum { DEEPEST = 16 };

struct loader {
	yaml_parser_t parser;
	const struct et_plan_reader *r; /* for errors */
	const char *text;
	size_t size;
	struct et_yaml *open[DEEPEST]; /* the lists and maps that contain the next node */
	size_t depth, nodes;
	struct et_yaml *root;
	struct et_plan_place quote, quoted; /* the last quoted text of several lines */
};

static struct et_plan_place place_of(yaml_mark_t mark)
{
	return (struct et_plan_place){ (unsigned)mark.line + 1, (unsigned)mark.column + 1 };
}

static struct et_plan_place place_of_byte(const struct loader *l, size_t offset)
{
	struct et_plan_place at = { 1, 1 };

	for (size_t i = 0; i < offset && i < l->size; i++) {
		if (l->text[i] == '\n')
			at = (struct et_plan_place){ at.line + 1, 1 };
		else if ((l->text[i] & 0xc0) != 0x80)
			at.column++;
	}
	return at;
}

void et_yaml_free(struct et_yaml *y)
{
	if (!y)
		return;
	for (size_t i = 0; i < y->n; i++)
		et_yaml_free(y->items[i]);
	free(y->items);
	free(y->text);
	free(y);
}

const struct et_yaml *et_yaml_find(const struct et_yaml *map, const char *key)
{
	for (size_t i = 0; i + 1 < map->n; i += 2) {
		if (!strcmp(map->items[i]->text, key))
			return map->items[i + 1];
	}
	return NULL;
}

bool et_yaml_empty(const struct et_yaml *y)
{
	static const char *const nothing[] = { "", "~", "null", "Null", "NULL" };

	for (size_t i = 0; y->kind == ET_YAML_SCALAR && !y->quoted && i < ET_LENGTH(nothing); i++) {
		if (!strcmp(y->text, nothing[i]))
			return true;
	}
	return false;
}

/* The bytes that libyaml would report without a place, or would accept. */
static int check_bytes(const struct loader *l)
{
	const char *nul = memchr(l->text, '\0', l->size);
	size_t i = 0, len = 1;

	if (nul)
		return et_plan_fail(l->r, place_of_byte(l, (size_t)(nul - l->text)), NULL,
			"a plan file is text, but this byte is 0");
	for (; i < l->size && len; i += len)
		len = et_utf8_length(l->text + i);
	if (len)
		return 0;
	return et_plan_fail(l->r, place_of_byte(l, i), "save the file as UTF-8",
		"not valid UTF-8 (byte 0x%02x)", (unsigned char)l->text[i]);
}

static int invalid(const struct loader *l)
{
	const yaml_parser_t *p = &l->parser;

	if (p->error == YAML_MEMORY_ERROR)
		et_out_of_memory();
	if (p->error == YAML_READER_ERROR)
		return et_plan_fail(l->r, place_of_byte(l, p->problem_offset), NULL,
			"not valid YAML: %s (0x%02x)", p->problem, (unsigned)p->problem_value);
	struct mistake m = mistake_of(&(struct problem){ .text = l->text,
		.problem = p->problem ? p->problem : "cannot be read",
		.at = place_of(p->problem_mark),
		.context = p->context ? place_of(p->context_mark) : (struct et_plan_place){ 0 },
		.quote = l->quote,
		.quoted = l->quoted });
	int rc = et_plan_fail(l->r, m.at, m.hint, "not valid YAML: %s%s%s",
		m.what ?: p->problem ?: "cannot be read",
		p->context && !m.what ? " " : "", p->context && !m.what ? p->context : "");
	free(m.what);
	free(m.hint);
	return rc;
}

static int refuse_kind(struct loader *l, const yaml_event_t *e, const char *tag)
{
	struct et_plan_place at = place_of(e->start_mark);

	if (e->type == YAML_ALIAS_EVENT)
		return et_plan_fail(l->r, at,
			"write the value out, or quote it if it is a text that begins with *",
			"plan files have no aliases, as *%s is one", e->data.alias.anchor);
	if (tag && strcmp(tag, "!"))
		return et_plan_fail(l->r, at,
			"omit it, or quote it if it is a text that begins with !",
			"plan files have no tags, as %s is one", tag);
	if (++l->nodes > ET_PLAN_MOST_NODES)
		return et_plan_fail(l->r, at, NULL, "more than %d values", ET_PLAN_MOST_NODES);
	return 0;
}

/* A node is the key of a map if the map has as many keys as values. */
static int add_node(struct loader *l, struct et_yaml *y)
{
	struct et_yaml *in = l->depth ? l->open[l->depth - 1] : NULL;
	int rc = 0;

	if (in && in->kind == ET_YAML_MAP && in->n % 2 == 0) {
		if (y->kind != ET_YAML_SCALAR)
			rc = et_plan_fail(l->r, y->at, "quote braces and brackets that are text",
				"a key must be a word");
		else if (et_yaml_find(in, y->text))
			rc = et_plan_fail(
				l->r, y->at, "omit one of them", "'%s' is given twice", y->text);
	}
	if (rc) {
		et_yaml_free(y);
		return rc;
	}
	if (!in) {
		l->root = y;
		return 0;
	}
	ET_GROW(in->items, in->n, in->cap);
	in->items[in->n++] = y;
	return 0;
}

static int add_scalar(struct loader *l, const yaml_event_t *e)
{
	const char *value = (const char *)e->data.scalar.value;
	struct et_plan_place at = place_of(e->start_mark);

	if (memchr(value, '\0', e->data.scalar.length))
		return et_plan_fail(l->r, at, NULL, "a text cannot have a 0 byte (\\0) in it");
	if (e->start_mark.line != e->end_mark.line &&
		(e->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
			e->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)) {
		l->quote = at;
		l->quoted = place_of(e->end_mark);
	}
	struct et_yaml *y = et_calloc(1, sizeof(*y));
	*y = (struct et_yaml){ .kind = ET_YAML_SCALAR,
		.at = at,
		.text = et_strdup(value),
		.quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE };
	return add_node(l, y);
}

static int open_node(struct loader *l, const yaml_event_t *e, enum et_yaml_kind kind)
{
	struct et_yaml *y = et_calloc(1, sizeof(*y));

	y->kind = kind;
	y->at = place_of(e->start_mark);
	if (l->depth == DEEPEST) {
		et_yaml_free(y);
		return et_plan_fail(
			l->r, place_of(e->start_mark), NULL, "nested more than %d deep", DEEPEST);
	}
	int rc = add_node(l, y);
	if (rc == 0)
		l->open[l->depth++] = y;
	return rc;
}

static int take_event(struct loader *l, const yaml_event_t *e)
{
	const yaml_char_t *tag = e->type == YAML_SCALAR_EVENT           ? e->data.scalar.tag
				 : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.tag
				 : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.tag
									: NULL;
	int rc = 0;

	switch (e->type) {
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		l->depth--;
		return 0;
	case YAML_DOCUMENT_START_EVENT:
		if (l->root)
			return et_plan_fail(l->r, place_of(e->start_mark),
				"put each plan into a file of its own", "a second document begins");
		return 0;
	case YAML_ALIAS_EVENT:
	case YAML_SCALAR_EVENT:
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		rc = refuse_kind(l, e, (const char *)tag);
		break;
	default:
		return 0;
	}
	if (rc || e->type == YAML_SCALAR_EVENT)
		return rc ? rc : add_scalar(l, e);
	return open_node(l, e, e->type == YAML_MAPPING_START_EVENT ? ET_YAML_MAP : ET_YAML_LIST);
}

static int load(struct loader *l)
{
	bool more = true;
	int rc = 0;

	while (rc == 0 && more) {
		yaml_event_t e;
		if (!yaml_parser_parse(&l->parser, &e))
			return invalid(l);
		more = e.type != YAML_STREAM_END_EVENT;
		rc = take_event(l, &e);
		yaml_event_delete(&e);
	}
	if (rc == 0 && !l->root)
		return et_plan_fail(l->r, (struct et_plan_place){ 1, 1 },
			"run 'etalon doe init' for an example", "the file has no plan in it");
	return rc;
}

int et_yaml_read(
	const struct et_plan_reader *r, const char *text, size_t size, struct et_yaml **out)
{
	struct loader l = { .r = r, .text = text, .size = size };
	int rc = check_bytes(&l);

	if (rc)
		return rc;
	if (!yaml_parser_initialize(&l.parser))
		et_out_of_memory();
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)text, size);
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	rc = load(&l);
	yaml_parser_delete(&l.parser);
	if (rc)
		et_yaml_free(l.root);
	else
		*out = l.root;
	return rc;
}
