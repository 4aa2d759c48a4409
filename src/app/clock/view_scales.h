/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long events take, on a logarithmic scale from 1 ns to 1 s; text, JSON and SVG. */
#pragma once

#include "base/json.h"
#include "clock/spread.h"
#include "draw/terminal.h"

/* An event; `ns` has n = 0 if it was not measured, and `missing` says why. */
struct et_scales_row {
	const char *name, *what, *missing;
	struct et_clock_spread ns;
};

struct et_scales_report {
	int cpu;
	const struct et_scales_row *rows;
	size_t n;
	bool cut_short;
};

void et_scales_text(const struct et_scales_report *r, const struct et_page *page, bool verbose);
void et_scales_json(struct et_json *w, const struct et_scales_report *r);
void et_scales_svg(const struct et_scales_report *r, FILE *out);
