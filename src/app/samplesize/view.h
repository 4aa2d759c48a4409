/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many runs are enough, as text and as JSON. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/result/samplesize.h"

/* Formats outliers as the EMP papers do: "16 (=15+1)", or "1" without a first check. */
const char *et_format_outliers(struct et_check_counts c, bool first_check, char buf[64]);

/* Prints one series: its sizes by each metric, the recommended one, and the widths. */
void et_samplesize_text(const struct et_sized *s, const struct et_page *page);
/* Prints a matrix of several series (Tables XXII to XXIV of the EMP paper), and the best sizes. */
void et_samplesize_matrix(const struct et_sized *list, size_t n, const struct et_page *page);
/* Writes one row per series, metric and size. */
void et_samplesize_csv(const struct et_sized *list, size_t n, FILE *out);
void et_samplesize_json(struct et_json *w, const struct et_sized *s);
