/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text made fit for a terminal: names cleaned of what a terminal would obey, measured in columns,
 * shortened in the middle, wrapped. Knows nothing of what the text says.
 */
#ifndef ET_REPORT_TERMINAL_H
#define ET_REPORT_TERMINAL_H

#include "base/attr.h"

#include <stdarg.h>
#include <stdbool.h>

/*
 * A copy that is valid UTF-8 and holds no control characters but those listed in keep: they become
 * their pictures (␛, ␊); invalid bytes and characters that reorder or hide text become U+FFFD.
 * Caller frees.
 */
char *et_clean(const char *text, const char *keep) __attribute__((malloc, returns_nonnull));
/* Columns that a clean text takes. */
int et_columns(const char *clean);
/* At most width columns of it, "…" in place of the middle. Caller frees. */
char *et_shorten(const char *clean, int width) __attribute__((malloc, returns_nonnull));

/* SGR parameters of a style, e.g. "1" for bold; NULL for none. */
struct et_page {
	FILE *out;
	int width; /* at least 40 */
	bool color;
};

/*
 * A paragraph of any text (cleaned here): lead on the first line, later lines indented to the
 * column indent, no line wider than the page. Words break only when longer than a line.
 * lead_style colours the lead, style the text; both may be NULL.
 */
void et_page_paragraph(const struct et_page *p, int indent, const char *lead,
	const char *lead_style, const char *text, const char *style);
/* "  label      value …", the value from the given column on; faint where there is no style. */
void et_page_row(const struct et_page *p, int column, const char *label, const char *style,
	const char *fmt, va_list ap);

#endif
