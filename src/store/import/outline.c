/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "store/import/importer.h"

enum {
	LONG_LIST = 64 << 10, /* a longer list is cut out, and a shorter text is parsed whole */
	SOME = 16 << 10,      /* about this many bytes of a list are parsed at a time */
	MOST_DEPTH = 64,      /* our records need 7 */
	MOST_VALUES = 100000, /* in an outline; a record has some hundred outside of its lists */
};

/* --- searching long lists --- */

/* A bracket that is open. */
struct level {
	const char *begin; /* the bracket */
	size_t values;     /* of the text before it, without the lists that are cut out */
	size_t commas;
};

struct search {
	struct et_importer *in;
	struct level levels[MOST_DEPTH];
	size_t depth, values;
};

static int fail_at(struct et_importer *in, const char *p, const char *text)
{
	const struct et_outline *o = &in->outline;
	size_t line = 1, column = 1;

	for (const char *q = o->data; q < p && q < o->data + o->size; q++) {
		line += *q == '\n';
		column = *q == '\n' ? 1 : column + 1;
	}
	return et_import_fail(in, NULL, "line %zu, column %zu: %s", line, column, text);
}

/* Returns the end of the string that begins after the quote before p, or NULL if it has none. */
static const char *after_string(const char *p, const char *end)
{
	for (; p < end; p++) {
		if (*p == '"')
			return p + 1;
		p += *p == '\\';
	}
	return NULL;
}

/* Only what jansson takes for a blank, so that a list of blanks is empty for both. */
static bool is_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p == end;
}

/* Cuts a list out, and puts the lists within it back. */
static void cut(struct search *s, const struct level *l, const char *end)
{
	struct et_outline *o = &s->in->outline;

	while (o->n_cuts && o->cuts[o->n_cuts - 1].begin > l->begin &&
		o->cuts[o->n_cuts - 1].end <= end)
		o->n_cuts--;
	ET_GROW(o->cuts, o->n_cuts, o->room);
	o->cuts[o->n_cuts++] = (struct et_cut){ l->begin + 1, end,
		is_blank(l->begin + 1, end) ? 0 : l->commas + 1 };
	s->values = l->values;
}

static int close_level(struct search *s, const char *p)
{
	char opened = s->depth ? *s->levels[s->depth - 1].begin : 0;

	if (opened != (*p == ']' ? '[' : '{'))
		return fail_at(s->in, p, "the bracket closes nothing");
	const struct level *l = &s->levels[--s->depth];
	if (*p == ']' && p - l->begin > LONG_LIST)
		cut(s, l, p);
	return 0;
}

static int open_level(struct search *s, const char *p)
{
	if (s->depth == MOST_DEPTH)
		return fail_at(s->in, p, "nested too deeply");
	s->levels[s->depth++] = (struct level){ p, s->values, 0 };
	s->values++;
	return 0;
}

/* Finds the long lists in a part of the text, and checks that its brackets match. */
static int find_cuts(struct search *s, const char *p, const char *end)
{
	int rc = 0;

	while (rc == 0 && p < end) {
		const char *at = p++;

		if (*at == '"') {
			p = after_string(p, end);
			if (!p)
				return fail_at(s->in, at, "the string does not end");
		} else if (*at == '[' || *at == '{') {
			rc = open_level(s, at);
		} else if (*at == ']' || *at == '}') {
			rc = close_level(s, at);
		} else if (*at == ',') {
			s->values++;
			if (s->depth)
				s->levels[s->depth - 1].commas++;
		}
	}
	if (rc == 0 && s->depth)
		rc = fail_at(s->in, s->levels[s->depth - 1].begin, "the bracket is not closed");
	if (rc == 0 && s->values > MOST_VALUES)
		rc = et_import_fail(s->in, NULL, "it has more than %d values outside of its lists",
			MOST_VALUES);
	return rc;
}

/* --- the outline --- */

/* A text that is parsed, and the place in the whole text that it was made from. */
struct part {
	char *text;
	size_t size;
	const char *begin; /* in the whole text */
	size_t first_cut;
	size_t bracket; /* 1 if the text has a bracket before it */
};

static void append(struct part *t, const char *bytes, size_t n)
{
	memcpy(t->text + t->size, bytes, n);
	t->size += n;
}

/* Makes the outline of a part of the text, in brackets if it is a part of a list. */
static void make_outline(const struct et_outline *o, const char *begin, const char *end,
	bool in_list, struct part *t)
{
	char name[64];
	const char *p = begin;

	t->text = et_alloc((size_t)(end - begin) + 3 + (o->n_cuts - t->first_cut) * sizeof(name));
	t->begin = begin;
	t->bracket = in_list;
	append(t, "[", in_list);
	for (size_t i = t->first_cut; i < o->n_cuts; i++) {
		int n = snprintf(name, sizeof(name), "\"%s%zu\"", o->mark, i);
		append(t, p, (size_t)(o->cuts[i].begin - 1 - p));
		append(t, name, (size_t)n);
		p = o->cuts[i].end + 1;
	}
	append(t, p, (size_t)(end - p));
	append(t, "]", in_list);
}

/* The place in the whole text of a position in the part. */
static const char *place_of(const struct et_outline *o, const struct part *t, size_t position)
{
	const char *p = t->begin;
	size_t left = position > t->bracket ? position - t->bracket : 0;
	char name[64];

	for (size_t i = t->first_cut; i < o->n_cuts; i++) {
		size_t before = (size_t)(o->cuts[i].begin - 1 - p);
		int n = snprintf(name, sizeof(name), "\"%s%zu\"", o->mark, i);
		if (left < before + (size_t)n)
			return left < before ? p + left : p + before;
		left -= before + (size_t)n;
		p = o->cuts[i].end + 1;
	}
	return p + left;
}

static int parse(struct et_importer *in, struct part *t, json_t **out)
{
	json_error_t where;
	json_t *root = json_loadb(t->text, t->size, JSON_REJECT_DUPLICATES, &where);
	size_t position = where.position > 0 && !root ? (size_t)where.position - 1 : 0;

	if (!root)
		return fail_at(in, place_of(&in->outline, t, position), where.text);
	*out = root;
	return 0;
}

/* Parses a part of the text: elements of a list, or the whole text. */
static int load(
	struct et_importer *in, const char *begin, const char *end, bool in_list, json_t **out)
{
	struct part t = { .first_cut = in->outline.n_cuts };

	if (end - begin > LONG_LIST) {
		struct search s = { .in = in };
		int rc = find_cuts(&s, begin, end);
		if (rc)
			return rc;
	}
	make_outline(&in->outline, begin, end, in_list, &t);
	int rc = parse(in, &t, out);
	free(t.text);
	return rc;
}

/* Chooses a mark that the text does not contain; a text cannot foresee it. */
static void choose_mark(struct et_outline *o)
{
	uint64_t number = et_clock_read_ns(CLOCK_MONOTONIC);

	do {
		snprintf(o->mark, sizeof(o->mark), "list %016" PRIx64 " ", number++);
	} while (memmem(o->data, o->size, o->mark, strlen(o->mark)));
}

int et_outline_load(struct et_importer *in, const char *data, size_t size)
{
	/* As json_array() leaves it, which fails only for want of memory. */
	json_error_t where = { .line = 1, .column = 1, .text = "not enough memory" };
	size_t first = 0;

	in->outline = (struct et_outline){ .data = data, .size = size };
	in->failed = 0;
	choose_mark(&in->outline);
	while (first < size && data[first] && strchr(" \t\r\n", data[first]))
		first++;
	if (size > LONG_LIST && first < size && data[first] == '{')
		return load(in, data, data + size, false, &in->outline.root);
	/* No record of ours is a list: the first bytes of a long one are as good as all. */
	in->outline.root = size > LONG_LIST
				   ? json_array()
				   : json_loadb(data, size, JSON_REJECT_DUPLICATES, &where);
	return in->outline.root ? 0
				: et_import_fail(in, NULL, "line %d, column %d: %s", where.line,
					  where.column, where.text);
}

void et_outline_free(struct et_importer *in)
{
	json_decref(in->outline.root);
	free(in->outline.cuts);
	in->outline = (struct et_outline){ 0 };
}

/* --- lists --- */

/* The list that a string of the outline stands for, or NULL. */
static const struct et_cut *cut_of(const struct et_importer *in, const json_t *value)
{
	const struct et_outline *o = &in->outline;
	const char *text = json_string_value(value);
	size_t n = strlen(o->mark);

	if (!text || !n || strncmp(text, o->mark, n))
		return NULL;
	size_t number = strtoul(text + n, NULL, 10);
	return number < o->n_cuts ? &o->cuts[number] : NULL;
}

bool et_is_string(const struct et_importer *in, const json_t *value)
{
	return json_is_string(value) && !cut_of(in, value);
}

bool et_is_list(const struct et_importer *in, const json_t *value)
{
	return json_is_array(value) || cut_of(in, value);
}

size_t et_list_size(const struct et_importer *in, const json_t *list)
{
	const struct et_cut *c = cut_of(in, list);

	return c ? c->n : json_array_size(list);
}

struct et_list et_list_open(struct et_importer *in, const json_t *list)
{
	const struct et_cut *c = cut_of(in, list);
	struct et_list l = { .in = in,
		.there = list,
		.n = et_list_size(in, list),
		.cuts_before = in->outline.n_cuts };

	if (c && c->n) {
		l.text = c->begin;
		l.end = c->end;
	} else if (!c) {
		l.whole = list;
	}
	return l;
}

struct et_list et_list_of(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at)
{
	struct et_list l = et_list_open(in, et_read_branch(in, object, key, JSON_ARRAY, at));

	l.list = (struct et_import_place){ at, key, 0 };
	return l;
}

struct et_list et_objects_of(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at)
{
	struct et_list l = et_list_of(in, object, key, at);

	l.objects = true;
	return l;
}

/* Returns the comma after the element at p, or the end of the list, whose brackets match. */
static const char *end_of_element(const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			p = after_string(p + 1, end);
			if (!p)
				return end;
			p--;
		} else if (*p == '[' || *p == '{') {
			depth++;
		} else if (*p == ']' || *p == '}') {
			depth--;
		} else if (*p == ',' && depth == 0) {
			return p;
		}
	}
	return end;
}

static void forget_some(struct et_list *l)
{
	json_decref(l->some);
	l->some = NULL;
	l->n_some = l->next_some = 0;
	if (l->in->outline.n_cuts > l->cuts_before)
		l->in->outline.n_cuts = l->cuts_before;
}

/* Parses the next elements: several short ones, or one of any length. */
static void parse_some(struct et_list *l)
{
	const char *begin = l->text, *stop = end_of_element(begin, l->end);

	forget_some(l);
	while (stop < l->end && stop - begin < SOME) {
		const char *next = end_of_element(stop + 1, l->end);
		if (next - begin > SOME)
			break;
		stop = next;
	}
	l->text = stop < l->end ? stop + 1 : NULL;
	if (load(l->in, begin, stop, true, &l->some))
		return;
	l->n_some = json_array_size(l->some);
	if (!l->n_some)
		fail_at(l->in, begin, "a value is missing");
}

const json_t *et_list_next(struct et_list *l)
{
	if (!l->in->failed && !l->whole && l->next_some == l->n_some && l->text)
		parse_some(l);
	if (l->in->failed)
		return NULL;
	const json_t *element = l->whole ? json_array_get(l->whole, l->next)
					 : json_array_get(l->some, l->next_some++);
	if (!element)
		return NULL;
	l->at = l->next++;
	l->here = (struct et_import_place){ &l->list, NULL, l->at };
	if (!l->objects || json_is_object(element))
		return element;
	et_import_fail(l->in, &l->here, "is not an object");
	return NULL;
}

void et_list_close(struct et_list *l)
{
	forget_some(l);
}
