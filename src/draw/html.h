/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTML pages in one file: no scripts, nothing to fetch, by their policy. All text is escaped. */
#pragma once

#include "draw/chart.h"

void et_html_begin(FILE *out, const char *title);
void et_html_end(FILE *out);

/* Writes an element with this text; tag is "h2", "p", "td class=n" … */
void et_html_element(FILE *out, const char *tag, const char *fmt, ...) ET_PRINTF(3, 4);
/* Begins a table that scrolls if the page is narrow; headings end with NULL. */
void et_html_table_begin(FILE *out, const char *const *headings);
void et_html_table_end(FILE *out);

/* Around charts of a page, which are arranged side by side if there is room. */
void et_html_pictures_begin(FILE *out);
void et_html_pictures_end(FILE *out);
