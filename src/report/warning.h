/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings as text and as JSON. Only this module makes sentences of warnings. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/experiment/field_rows.h"
#include "model/result/warning.h"

/* The sentence of a warning. The caller frees it. */
char *et_warning_text(const struct et_warning *w);
/* The same with another template (see struct et_warning_row); NULL: that of the table. */
char *et_warning_text_as(const struct et_warning *w, const char *template);
/* Prints one paragraph per warning, "warning: …" or "note: …", indented by `margin` spaces. */
void et_warnings_text(const struct et_page *page, int margin, const struct et_warnings *w);
/* Writes the key "warnings": an array of objects with code, severity and text. */
void et_warnings_json(struct et_json *j, const struct et_warnings *w);
/* The same as a row of a table of results. */
void et_warnings_write(struct et_json *j, const char *key, const void *warnings);
#define ET_KEY_WARNINGS(type, member) ET_KEY_BY(type, "warnings", member, et_warnings_write)
/* Writes one paragraph of a page per warning (draw/html.h). */
void et_html_warnings(FILE *out, const struct et_warnings *w);
