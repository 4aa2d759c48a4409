/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/terminal.h"

const char *const et_eighths[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

void et_page_styled(const struct et_page *p, const char *style, const char *text, size_t n)
{
	bool on = p->color && style && n;

	if (on)
		fprintf(p->out, "\033[%sm", style);
	fwrite(text, 1, n, p->out);
	if (on)
		fputs("\033[0m", p->out);
}

/* Whether the word before this space is an option, such as --runs, whose value may follow. */
static bool after_option(const char *text, size_t space)
{
	size_t word = space;

	while (word > 0 && text[word - 1] != ' ')
		word--;
	return space - word > 2 && text[word] == '-' && text[word + 1] == '-' &&
	       (text[space + 1] >= '0' && text[space + 1] <= '9');
}

/* A line must not break between a number and its unit, or before or after a sign. */
static bool may_break(const char *text, size_t space)
{
	static const char *const not_first[] = { "ns", "µs", "ms", "s", "%", "±", "×", "…", "B",
		"KiB", "MiB", "GiB", "=" };
	static const char *const not_last[] = { "±", "…", "=" };
	const char *next = text + space + 1;
	size_t n = strcspn(next, " ,;:)");

	for (size_t i = 0; i < ET_LENGTH(not_first); i++) {
		if (n == strlen(not_first[i]) && !memcmp(next, not_first[i], n))
			return false;
	}
	for (size_t i = 0; i < ET_LENGTH(not_last); i++) {
		n = strlen(not_last[i]);
		if (space >= n && !memcmp(text + space - n, not_last[i], n))
			return false;
	}
	return !after_option(text, space);
}

/* The number of bytes of the next line: whole words, or 0 if not even one fits. */
static size_t line_length(const char *text, int room)
{
	size_t fits = et_fitting(text, room);

	if (!text[fits])
		return fits;
	for (size_t i = fits; i > 0; i--) {
		if (text[i] == ' ' && may_break(text, i))
			return i;
	}
	return 0;
}

/* The number of bytes of a too long word that fit, at least one character. */
static size_t broken_word(const char *text, int room)
{
	size_t fits = et_fitting(text, room), n;

	if (fits)
		return fits;
	et_glyph_columns(text, &n);
	return n;
}

void et_page_paragraph(const struct et_page *p, int indent, const char *lead,
	const char *lead_style, const char *text, const char *style)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");
	ET_AUTO_FREE char *clean_lead = et_clean(lead, "");
	const char *rest = clean;
	int column = et_columns(clean_lead);

	et_page_styled(p, lead_style, clean_lead, strlen(clean_lead));
	/* A lead that reaches into the text's column is followed by one space if a word fits. */
	int gap = column < indent ? indent - column : column > 0;
	size_t n = line_length(rest, p->width - column - gap);
	if (n)
		fprintf(p->out, "%*s", gap, "");
	else if (*rest && column > 0)
		fprintf(p->out, "\n%*s", indent, "");
	while (*rest) {
		n = n ? n : broken_word(rest, p->width - indent);
		et_page_styled(p, style, rest, n);
		rest += n;
		rest += strspn(rest, " ");
		if (*rest)
			fprintf(p->out, "\n%*s", indent, "");
		n = line_length(rest, p->width - indent);
	}
	putc('\n', p->out);
}

void et_page_say(const struct et_page *p, int indent, const char *lead, const char *lead_style,
	const char *style, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	et_page_paragraph(p, indent, lead, lead_style, text, style);
}

void et_page_row(const struct et_page *p, int column, const char *label, const char *style,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *lead = et_asprintf("  %s", label);
	ET_AUTO_FREE char *value = et_vasprintf(fmt, ap);
	va_end(ap);
	et_page_paragraph(p, column, lead, style ? style : "2", value, style);
}

size_t et_text_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* --- names --- */

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

	c.end = common_end(names, n, c.begin);
	struct common words = c;
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
