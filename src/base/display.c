/* SPDX-License-Identifier: MIT */
#include "base/display.h"
#include "base/utf8.h"

#include <wchar.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS "…"

static char *put(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
	return to + n;
}

char *et_clean(const char *text, const char *keep)
{
	char *out = et_alloc(3 * strlen(text) + 1), *to = out;

	while (*text) {
		size_t n = et_utf8_length(text);
		uint32_t c = n ? et_utf8_decode(text, n) : 0;
		/* U+2400 + c is the picture of a control character. */
		const char picture[] = { '\xe2', '\x90', (char)(0x80 | (c == 0x7f ? 0x21 : c)) };

		if (n == 1 && (c < 0x20 || c == 0x7f) && !strchr(keep, (int)c))
			to = put(to, picture, sizeof(picture));
		else if (!n || et_utf8_deceives(c))
			to = put(to, REPLACEMENT, 3);
		else
			to = put(to, text, n);
		text += n ? n : 1;
	}
	*to = '\0';
	return out;
}

void et_say(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	ET_AUTO_FREE char *clean = et_clean(text, "\n");
	fputs(clean, out);
}

int et_glyph_columns(const char *text, size_t *n)
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
		columns += et_glyph_columns(clean, &n);
	return columns;
}

size_t et_fitting(const char *text, int width)
{
	size_t len = 0, n;

	while (text[len]) {
		width -= et_glyph_columns(text + len, &n);
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
		left -= et_glyph_columns(back, &n);
	return et_asprintf("%.*s" ELLIPSIS "%s", (int)front, clean, back);
}
