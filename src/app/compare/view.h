/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of several series as text (table, verdicts, forest plot, matrix) and as JSON. */
#pragma once

#include "draw/terminal.h"
#include "model/result/series.h"
#include "stats/compare/compare.h"

void et_compare_text(const struct et_series *s, const struct et_comparison *c,
	const struct et_page *page, bool verbose);
void et_compare_json(const struct et_series *s, const struct et_comparison *c, FILE *out);
