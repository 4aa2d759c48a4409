/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for a terminal: lines that are wrapped, and styled; base/display.h comes with it. */
#pragma once

#include "base/display.h"
#include "base/figure.h"

struct et_page {
	FILE *out;
	int width; /* at least 40 */
	bool color;
	bool full_names; /* it is no terminal: names are not cut to fit */
};

/*
 * Prints any text (cleaned here) as a paragraph that begins with lead; later lines are indented.
 * Only words longer than a line are broken. A style is an SGR parameter ("1") or NULL.
 */
void et_page_paragraph(const struct et_page *p, int indent, const char *lead,
	const char *lead_style, const char *text, const char *style);
/* Prints n bytes in a style, without cleaning or breaking them. */
void et_page_styled(const struct et_page *p, const char *style, const char *text, size_t n);
/* The same of a formatted text. */
void et_page_say(const struct et_page *p, int indent, const char *lead, const char *lead_style,
	const char *style, const char *fmt, ...) ET_PRINTF(6, 7);
/* Prints "  label      value …" with the value at the given column. A NULL style dims the label. */
void et_page_row(const struct et_page *p, int column, const char *label, const char *style,
	const char *fmt, ...) ET_PRINTF(5, 6);
/* " ", "▁", "▂" … "█": cells that are filled by 0 to 8 eighths. */
extern const char *const et_eighths[9];
/* Counts the lines of a text that ends with a line feed. */
size_t et_text_lines(const char *text);

/* How commands are called: by number, or by names that fit into a column and still differ. */

/* A longer name would make every line of a table as long. */
enum { ET_NAME_MOST = 1000 };

/* "[2]" of the command or series with index 1: a bare 2 could be a figure. Returns buf. */
const char *et_name_by_number(size_t index, char buf[ET_FIGURE]);
/*
 * Returns n clean names of at most `width` columns. Of long ones the part that differs is kept, and
 * an ellipsis replaces what is common. The list ends with NULL; et_strv_free frees it.
 */
char **et_names_fit(const char *const *names, size_t n, int width);
/* The same, but whole names of up to ET_NAME_MOST columns if the page is no terminal. */
char **et_page_names(const struct et_page *page, const char *const *names, size_t n, int width);
