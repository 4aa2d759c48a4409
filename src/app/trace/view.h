/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of activity: text as in the figures of Bryant & O'Hallaron, JSON, and a chart. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "stats/series/trace.h"

/* all: print every period, not only the first ones. */
void et_trace_text(const struct et_trace *t, const struct et_page *page, bool all);
void et_trace_json(const struct et_trace *t, struct et_json *w);
/* One chart of all traces, with a track per cause and for the processes that took most. */
void et_trace_svg(const struct et_trace *traces, size_t n, FILE *out);

/* The CPU times that accounting by ticks would charge: a table, and the key "charges". */
void et_charges_text(
	const struct et_trace *t, const struct et_charges *all, const struct et_page *page);
void et_charges_json(const struct et_charges *all, struct et_json *w);
/* The letter of a process in the table and in the timeline: A is traced; '+' has no row. */
char et_charge_letter(const struct et_charges *all, uint32_t who);
/* A track for activity and one per cause; ticks are marked with the letter of whom they charge. */
void et_timeline_draw(
	const struct et_trace *t, const struct et_charges *charges, const struct et_page *page);
