/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/names.h"
#include "base/alloc.h"

#include <string.h>

#define ELLIPSIS "…"

/* The common beginning and end of all names, in bytes, and the columns that are shown of them. */
struct common {
	size_t begin, end;
	int head, tail;              /* columns of the beginning and of the end that are shown */
	bool whole_head, whole_tail; /* nothing of it is cut */
	int middle;                  /* columns for the part in which they differ */
};

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80; /* not the first byte of a character */
}

static size_t common_begin(char *const *names, size_t n)
{
	size_t length = strlen(names[0]);

	for (size_t i = 1; i < n; i++) {
		size_t same = 0;
		while (same < length && names[i][same] == names[0][same])
			same++;
		length = same;
	}
	for (size_t i = 0; i < n; i++) {
		while (length && continues(names[i][length]))
			length--;
	}
	return length;
}

static size_t common_end(char *const *names, size_t n, size_t begin)
{
	size_t first = strlen(names[0]), length = first - begin;

	for (size_t i = 1; i < n; i++) {
		size_t size = strlen(names[i]), same = 0;
		while (same < length && same < size - begin &&
			names[i][size - 1 - same] == names[0][first - 1 - same])
			same++;
		length = same;
	}
	while (length && continues(names[0][first - length]))
		length--;
	return length;
}

static bool separates(char c)
{
	return c == ' ' || c == '/' || c == '=' || c == ',';
}

/* A whole word is easier to recognise than the letter in which it differs. */
static void widen_to_words(const char *name, struct common *c)
{
	enum { FAR = 16 };
	size_t begin = c->begin, length = strlen(name), end = length - c->end;

	while (begin && c->begin - begin < FAR && !separates(name[begin - 1]))
		begin--;
	if (!begin || separates(name[begin - 1]))
		c->begin = begin;
	while (end < length && end - (length - c->end) < FAR && !separates(name[end]))
		end++;
	if (end == length || separates(name[end]))
		c->end = length - end;
}

static int columns_of(const char *text, size_t n)
{
	ET_AUTO_FREE char *part = et_strndup(text, n);

	return et_columns(part);
}

/* The columns of the widest part between the common beginning and end. */
static int widest_middle(char *const *names, size_t n, const struct common *c)
{
	int widest = 0;

	for (size_t i = 0; i < n; i++) {
		int columns = columns_of(names[i] + c->begin, strlen(names[i]) - c->begin - c->end);
		widest = columns > widest ? columns : widest;
	}
	return widest;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Divides the width: the parts that differ first, then the beginning, then the end. */
static struct common divide(char *const *names, size_t n, int width)
{
	struct common c = { .begin = common_begin(names, n) };
	struct common words;

	c.end = common_end(names, n, c.begin);
	words = c;
	widen_to_words(names[0], &words);
	if (widest_middle(names, n, &words) <= width - 2)
		c = words;
	int begin = columns_of(names[0], c.begin);
	int end = et_columns(names[0] + strlen(names[0]) - c.end);
	c.middle = least(widest_middle(names, n, &c), width - (begin > 0) - (end > 0));
	int room = width - c.middle - (begin > 0) - (end > 0);
	c.head = least(begin, room - least(end, room / 3));
	c.tail = least(end, room - c.head);
	c.whole_head = c.head == begin;
	c.whole_tail = c.tail == end;
	return c;
}

/* The last characters of a text that fit into this many columns. */
static const char *last_columns(const char *text, int columns)
{
	while (et_columns(text) > columns)
		text += et_fitting(text, 1) ? et_fitting(text, 1) : et_fitting(text, 2);
	return text;
}

static char *shortened(const char *name, const struct common *c)
{
	size_t length = strlen(name) - c->begin - c->end;
	ET_AUTO_FREE char *differs = et_strndup(name + c->begin, length);
	ET_AUTO_FREE char *middle = et_shorten(differs, c->middle);
	ET_AUTO_FREE char *begin = et_strndup(name, c->begin);
	const char *end = name + strlen(name) - c->end;

	return et_asprintf("%.*s%s%s%s%s", (int)et_fitting(begin, c->head), begin,
		c->whole_head ? "" : ELLIPSIS, middle, c->whole_tail ? "" : ELLIPSIS,
		last_columns(end, c->tail));
}

const char *et_name_by_number(size_t index, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "[%zu]", index + 1);
	return buf;
}

char **et_names_fit(const char *const *names, size_t n, int width)
{
	char **out = et_calloc(n + 1, sizeof(*out));
	int widest = 0;

	for (size_t i = 0; i < n; i++) {
		out[i] = et_clean(names[i] ? names[i] : "", "");
		int columns = et_columns(out[i]);
		widest = columns > widest ? columns : widest;
	}
	if (widest <= width)
		return out;
	struct common c = n > 1 && width > 4 ? divide(out, n, width)
					     : (struct common){ .middle = width,
						       .whole_head = true,
						       .whole_tail = true };
	for (size_t i = 0; i < n; i++) {
		if (et_columns(out[i]) <= width)
			continue;
		char *fitted = shortened(out[i], &c);
		free(out[i]);
		out[i] = fitted;
	}
	return out;
}

char **et_page_names(const struct et_page *page, const char *const *names, size_t n, int width)
{
	return et_names_fit(names, n, page->full_names ? ET_NAME_MOST : width);
}
