/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of activity: text as in the figures of Bryant & O'Hallaron, JSON, and a chart. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/sample/trace.h"

/* all: print every period, not only the first ones. */
void et_trace_text(const struct et_trace *t, const struct et_page *page, bool all);
void et_trace_json(const struct et_trace *t, struct et_json *w);
/* One chart of all traces, with a track per cause and for the processes that took most. */
void et_trace_svg(const struct et_trace *traces, size_t n, FILE *out);
