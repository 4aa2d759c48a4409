/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forest plot for a terminal: every ratio with its interval on one axis, 1 marked. */
#ifndef ET_REPORT_FOREST_H
#define ET_REPORT_FOREST_H

#include "model/series.h"
#include "report/terminal.h"
#include "stats/compare.h"

/* Begins with an empty line; nothing is drawn where no pair has an interval. */
void et_forest(
	const struct et_series *s, const struct et_comparison *c, const struct et_page *page);

#endif
