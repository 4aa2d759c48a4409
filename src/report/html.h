/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages that stand alone: one file, nothing fetched, no script, and a policy that forbids both.
 * All text is escaped here.
 */
#ifndef ET_REPORT_HTML_H
#define ET_REPORT_HTML_H

#include "model/estimate.h"
#include "report/svg.h"

void et_html_begin(FILE *out, const char *title);
void et_html_end(FILE *out);

/* "h2", "p", "th", "td class=n" …: an element with this text. */
void et_html_element(FILE *out, const char *tag, const char *fmt, ...) ET_PRINTF(3, 4);
/* A table that scrolls by itself where the page is narrow; headings end with NULL. */
void et_html_table_begin(FILE *out, const char *const *headings);
void et_html_table_end(FILE *out);
/* A paragraph for each. */
void et_html_warnings(FILE *out, const struct et_warnings *w);

/* Pictures stand side by side where there is room, a wide one takes the row. */
void et_html_pictures_begin(FILE *out);
void et_html_picture(FILE *out, const struct et_chart *c, bool wide);
void et_html_pictures_end(FILE *out);

#endif
