/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/tree.h"
#include "base/alloc.h"
#include "base/utf8.h"
#include "plan/mistake.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <yaml.h>

enum { DEEPEST = 16 };

struct loader {
	yaml_parser_t parser;
	const char *path, *text;
	size_t size;
	struct et_yaml *open[DEEPEST]; /* the lists and maps that contain the next node */
	size_t depth, nodes;
	struct et_yaml *root;
	struct et_plan_place quote, quoted; /* the last quoted text of several lines */
};

int et_yaml_fail(
	const char *path, struct et_plan_place at, struct et_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *what = et_vasprintf(fmt, ap);
	va_end(ap);
	return et_fail(err, EINVAL, ET_EXIT_USAGE, "%s:%u:%u: %s", path, at.line, at.column, what);
}

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
static int check_bytes(const struct loader *l, struct et_error *err)
{
	const char *nul = memchr(l->text, '\0', l->size);
	size_t i = 0, len = 1;

	if (nul)
		return et_yaml_fail(l->path, place_of_byte(l, (size_t)(nul - l->text)), err,
			"a plan file is text, but this byte is 0");
	for (; i < l->size && len; i += len)
		len = et_utf8_length(l->text + i);
	if (len)
		return 0;
	return et_hint(err,
		et_yaml_fail(l->path, place_of_byte(l, i), err, "not valid UTF-8 (byte 0x%02x)",
			(unsigned char)l->text[i]),
		"save the file as UTF-8");
}

static int invalid(const struct loader *l, struct et_error *err)
{
	const yaml_parser_t *p = &l->parser;

	if (p->error == YAML_MEMORY_ERROR)
		et_out_of_memory();
	if (p->error == YAML_READER_ERROR)
		return et_yaml_fail(l->path, place_of_byte(l, p->problem_offset), err,
			"not valid YAML: %s (0x%02x)", p->problem, (unsigned)p->problem_value);
	struct et_yaml_mistake m = et_yaml_mistake(&(struct et_yaml_problem){ .text = l->text,
		.problem = p->problem ? p->problem : "cannot be read",
		.at = place_of(p->problem_mark),
		.context = p->context ? place_of(p->context_mark) : (struct et_plan_place){ 0 },
		.quote = l->quote,
		.quoted = l->quoted });
	int rc = et_yaml_fail(l->path, m.at, err, "not valid YAML: %s%s%s",
		m.what       ? m.what
		: p->problem ? p->problem
			     : "cannot be read",
		p->context && !m.what ? " " : "", p->context && !m.what ? p->context : "");
	if (m.hint)
		et_hint(err, rc, "%s", m.hint);
	free(m.what);
	free(m.hint);
	return rc;
}

static int refuse_kind(
	struct loader *l, const yaml_event_t *e, const char *tag, struct et_error *err)
{
	struct et_plan_place at = place_of(e->start_mark);

	if (e->type == YAML_ALIAS_EVENT)
		return et_hint(err,
			et_yaml_fail(l->path, at, err, "plan files have no aliases, as *%s is one",
				e->data.alias.anchor),
			"write the value out, or quote it if it is a text that begins with *");
	if (tag && strcmp(tag, "!"))
		return et_hint(err,
			et_yaml_fail(
				l->path, at, err, "plan files have no tags, as %s is one", tag),
			"omit it, or quote it if it is a text that begins with !");
	if (++l->nodes > ET_PLAN_MOST_NODES)
		return et_yaml_fail(l->path, at, err, "more than %d values", ET_PLAN_MOST_NODES);
	return 0;
}

/* A node is the key of a map if the map has as many keys as values. */
static int add_node(struct loader *l, struct et_yaml *y, struct et_error *err)
{
	struct et_yaml *in = l->depth ? l->open[l->depth - 1] : NULL;
	int rc = 0;

	if (in && in->kind == ET_YAML_MAP && in->n % 2 == 0) {
		if (y->kind != ET_YAML_SCALAR)
			rc = et_yaml_fail(l->path, y->at, err, "a key must be a word");
		else if (et_yaml_find(in, y->text))
			rc = et_yaml_fail(l->path, y->at, err, "'%s' is given twice", y->text);
		if (rc)
			rc = et_hint(err, rc,
				y->kind == ET_YAML_SCALAR
					? "omit one of them"
					: "quote braces and brackets that are text");
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

static int add_scalar(struct loader *l, const yaml_event_t *e, struct et_error *err)
{
	const char *value = (const char *)e->data.scalar.value;
	struct et_plan_place at = place_of(e->start_mark);

	if (memchr(value, '\0', e->data.scalar.length))
		return et_yaml_fail(l->path, at, err, "a text cannot have a 0 byte (\\0) in it");
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
		.quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE,
		.block = e->start_mark.line != e->end_mark.line };
	return add_node(l, y, err);
}

static int open_node(
	struct loader *l, const yaml_event_t *e, enum et_yaml_kind kind, struct et_error *err)
{
	struct et_yaml *y = et_calloc(1, sizeof(*y));

	y->kind = kind;
	y->at = place_of(e->start_mark);
	if (l->depth == DEEPEST) {
		et_yaml_free(y);
		return et_yaml_fail(
			l->path, place_of(e->start_mark), err, "nested more than %d deep", DEEPEST);
	}
	int rc = add_node(l, y, err);
	if (rc == 0)
		l->open[l->depth++] = y;
	return rc;
}

static int take_event(struct loader *l, const yaml_event_t *e, struct et_error *err)
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
			return et_hint(err,
				et_yaml_fail(l->path, place_of(e->start_mark), err,
					"a second document begins"),
				"put each plan into a file of its own");
		return 0;
	case YAML_ALIAS_EVENT:
	case YAML_SCALAR_EVENT:
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		rc = refuse_kind(l, e, (const char *)tag, err);
		break;
	default:
		return 0;
	}
	if (rc || e->type == YAML_SCALAR_EVENT)
		return rc ? rc : add_scalar(l, e, err);
	return open_node(
		l, e, e->type == YAML_MAPPING_START_EVENT ? ET_YAML_MAP : ET_YAML_LIST, err);
}

static int load(struct loader *l, struct et_error *err)
{
	bool more = true;
	int rc = 0;

	while (rc == 0 && more) {
		yaml_event_t e;
		if (!yaml_parser_parse(&l->parser, &e))
			return invalid(l, err);
		more = e.type != YAML_STREAM_END_EVENT;
		rc = take_event(l, &e, err);
		yaml_event_delete(&e);
	}
	if (rc == 0 && !l->root)
		return et_hint(err,
			et_yaml_fail(l->path, (struct et_plan_place){ 1, 1 }, err,
				"the file has no plan in it"),
			"run 'etalon doe init' for an example");
	return rc;
}

int et_yaml_read(
	const char *text, size_t size, const char *path, struct et_yaml **out, struct et_error *err)
{
	struct loader l = { .path = path, .text = text, .size = size };
	int rc = check_bytes(&l, err);

	if (rc)
		return rc;
	if (!yaml_parser_initialize(&l.parser))
		et_out_of_memory();
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)text, size);
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	rc = load(&l, err);
	yaml_parser_delete(&l.parser);
	if (rc)
		et_yaml_free(l.root);
	else
		*out = l.root;
	return rc;
}
