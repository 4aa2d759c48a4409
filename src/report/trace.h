/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of activity: text like the chapter's figures with a timeline, JSON, and a picture. */
#ifndef ET_REPORT_TRACE_H
#define ET_REPORT_TRACE_H

#include "base/json.h"
#include "model/trace.h"
#include "report/terminal.h"

/* all: every period is printed, not only the first. */
void et_trace_text(const struct et_trace *t, const struct et_page *page, bool all);
void et_trace_json(const struct et_trace *t, struct et_json *w);
/* One picture of all traces: a lane for each cause and for the processes that took most. */
void et_trace_svg(const struct et_trace *traces, size_t n, FILE *out);

#endif
