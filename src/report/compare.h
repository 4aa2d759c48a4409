/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of several series as text (table, verdicts, forest plot, matrix) and as JSON. */
#ifndef ET_REPORT_COMPARE_H
#define ET_REPORT_COMPARE_H

#include "model/series.h"
#include "report/terminal.h"
#include "stats/compare.h"

void et_compare_text(const struct et_series *s, const struct et_comparison *c,
	const struct et_page *page, bool verbose);
void et_compare_json(const struct et_series *s, const struct et_comparison *c, FILE *out);

#endif
