/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings as people and programs read them. No other file makes text of a warning. */
#ifndef ET_REPORT_WARNING_H
#define ET_REPORT_WARNING_H

#include "base/json.h"
#include "model/warning.h"
#include "report/terminal.h"

/* The sentence of a warning. The caller frees it. */
char *et_warning_text(const struct et_warning *w);
/* One paragraph per warning, "warning: …" or "note: …", after `margin` spaces. */
void et_warnings_text(const struct et_page *page, int margin, const struct et_warnings *w);
/* The key "warnings": objects of code, severity and text. */
void et_warnings_json(struct et_json *j, const struct et_warnings *w);

#endif
