/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces that the experiments print: headings, paragraphs, charts, the beginning of JSON. */
#pragma once

#include "base/json.h"
#include "draw/chart.h"
#include "draw/table.h"
#include "model/experiment/experiment.h"

/* Print a paragraph: in bold, plain, and indented after a lead. */
void et_lab_heading(const struct et_page *page, const char *fmt, ...) ET_PRINTF(2, 3);
void et_lab_text(const struct et_page *page, const char *fmt, ...) ET_PRINTF(2, 3);
void et_lab_item(const struct et_page *page, int indent, const char *lead, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* Prints a table and an empty line. */
void et_lab_table(struct et_table *t, const struct et_page *page);
/* Prints a chart and an empty line. */
void et_lab_chart(struct et_chart *c, const struct et_page *page);

/* "+0.02": an error in percent; a larger one has fewer decimals; NaN is "–". */
const char *et_format_error(double error, char buf[ET_FIGURE]);
/* k / n, or NaN. */
double et_lab_share(uint64_t k, uint64_t n);
