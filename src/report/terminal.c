/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/terminal.h"
#include "base/alloc.h"
#include "base/utf8.h"

#include <string.h>
#include <wchar.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS "…"

static char *put(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
	return to + n;
}

/* Appends U+2400 + c, the picture of a control character. */
static char *put_picture(char *to, unsigned char c)
{
	char picture[3] = { '\xe2', '\x90', (char)(0x80 | (c == 0x7f ? 0x21 : c)) };

	return put(to, picture, 3);
}

char *et_clean(const char *text, const char *keep)
{
	char *out = et_alloc(3 * strlen(text) + 1), *to = out;

	while (*text) {
		size_t n = et_utf8_length(text);
		uint32_t c = n ? et_utf8_decode(text, n) : 0;

		if (n == 1 && (c < 0x20 || c == 0x7f) && !strchr(keep, (int)c))
			to = put_picture(to, (unsigned char)c);
		else if (!n || et_utf8_deceives(c))
			to = put(to, REPLACEMENT, 3);
		else
			to = put(to, text, n);
		text += n ? n : 1;
	}
	*to = '\0';
	return out;
}

/* The width of the character at text in columns; sets *n to its length in bytes. */
static int glyph_columns(const char *text, size_t *n)
{
	*n = et_utf8_length(text);
	if (!*n) {
		*n = 1;
		return 1;
	}
	/* Without a UTF-8 locale wcwidth() knows only ASCII; most other characters have width 1. */
	int columns = wcwidth((wchar_t)et_utf8_decode(text, *n));
	return columns < 0 ? 1 : columns;
}

int et_columns(const char *clean)
{
	int columns = 0;
	size_t n;

	for (; *clean; clean += n)
		columns += glyph_columns(clean, &n);
	return columns;
}

size_t et_fitting(const char *text, int width)
{
	size_t len = 0, n;

	while (text[len]) {
		width -= glyph_columns(text + len, &n);
		if (width < 0)
			break;
		len += n;
	}
	return len;
}

char *et_shorten(const char *clean, int width)
{
	int columns = et_columns(clean);

	if (columns <= width)
		return et_strdup(clean);
	if (width < 3)
		return et_strndup(clean, et_fitting(clean, width > 0 ? width : 0));
	int tail = (width - 1) / 2, head = width - 1 - tail;
	size_t front = et_fitting(clean, head);
	/* Skip characters until at most tail columns are left. */
	const char *back = clean + front;
	int left = et_columns(back);
	for (size_t n; left > tail; back += n)
		left -= glyph_columns(back, &n);
	return et_asprintf("%.*s" ELLIPSIS "%s", (int)front, clean, back);
}

static void styled(const struct et_page *p, const char *style, const char *text, size_t n)
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
	glyph_columns(text, &n);
	return n;
}

void et_page_paragraph(const struct et_page *p, int indent, const char *lead,
	const char *lead_style, const char *text, const char *style)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");
	ET_AUTO_FREE char *clean_lead = et_clean(lead, "");
	const char *rest = clean;
	int column = et_columns(clean_lead);

	styled(p, lead_style, clean_lead, strlen(clean_lead));
	/* A lead that reaches into the text's column is followed by one space if a word fits. */
	int gap = column < indent ? indent - column : column > 0;
	size_t n = line_length(rest, p->width - column - gap);
	if (n)
		fprintf(p->out, "%*s", gap, "");
	else if (*rest && column > 0)
		fprintf(p->out, "\n%*s", indent, "");
	while (*rest) {
		n = n ? n : broken_word(rest, p->width - indent);
		styled(p, style, rest, n);
		rest += n;
		rest += strspn(rest, " ");
		if (*rest)
			fprintf(p->out, "\n%*s", indent, "");
		n = line_length(rest, p->width - indent);
	}
	putc('\n', p->out);
}

void et_page_row(const struct et_page *p, int column, const char *label, const char *style,
	const char *fmt, va_list ap)
{
	ET_AUTO_FREE char *lead = et_asprintf("  %s", label);
	ET_AUTO_FREE char *value = et_vasprintf(fmt, ap);

	et_page_paragraph(p, column, lead, style ? style : "2", value, style);
}
