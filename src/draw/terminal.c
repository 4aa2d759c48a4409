/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/terminal.h"
#include "base/alloc.h"

#include <string.h>

const char *const et_eighths[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

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
