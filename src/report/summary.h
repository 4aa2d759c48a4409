/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The answer of an experiment in a few lines: a table with one line per command, and one line per
 * comparison. From four commands on the ratios are a column of the table.
 */
#pragma once

#include "draw/terminal.h"
#include "report/text.h"

void et_summary(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, const struct et_page *page);
/*
 * The name of a command in a sentence: the name that the user gave it if all commands have a short
 * one, else its number, "[2]". The caller frees it.
 */
char *et_summary_name(const struct et_judgement *j, size_t command);
/*
 * The ratio of a command to the reference as a cell of a table, "1.06" and " (0.95 … 1.14) ?". The
 * mark ? says that no difference is shown, or that there are too few runs; ~ that there is one
 * before the correction for several comparisons only.
 */
void et_summary_ratio(
	const struct et_command_result *r, char left[ET_FIGURE], char right[ET_FIGURE]);
