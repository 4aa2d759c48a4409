/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forest plot for a terminal: all ratios with their intervals on one axis that marks 1. */
#pragma once

#include "draw/terminal.h"
#include "model/result/series.h"
#include "stats/compare/compare.h"

/* Draws an empty line and the plot; nothing if no pair has an interval or the page is narrow. */
void et_forest(
	const struct et_series *s, const struct et_comparison *c, const struct et_page *page);
