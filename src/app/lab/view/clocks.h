/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of the lab's experiments about clocks as tables, curves, JSON and SVG. */
#pragma once

#include "base/json.h"
#include "draw/table.h"
#include "lab/branches.h"
#include "lab/cache_effects.h"
#include "lab/interval_accuracy.h"
#include "lab/kbest_accuracy.h"
#include "lab/kbest_coverage.h"

/* all: print the tables of all errors as well. */
void et_kbest_accuracy_text(
	const struct et_kbest_accuracy *a, bool all, const struct et_page *page);
void et_kbest_accuracy_json(
	const struct et_experiment *e, const struct et_kbest_accuracy *a, FILE *out);

void et_kbest_coverage_text(const struct et_kbest_coverage *c, const struct et_page *page);
void et_kbest_coverage_json(const struct et_kbest_coverage *c, FILE *out);

void et_interval_accuracy_text(const struct et_interval_accuracy *a, const struct et_page *page);
void et_interval_accuracy_json(
	const struct et_experiment *e, const struct et_interval_accuracy *a, FILE *out);
void et_interval_accuracy_svg(const struct et_interval_accuracy *a, FILE *out);

void et_cache_effects_text(const struct et_cache_effects *c, const struct et_page *page);
void et_cache_effects_json(
	const struct et_experiment *e, const struct et_cache_effects *c, FILE *out);
void et_cache_effects_svg(const struct et_cache_effects *c, FILE *out);

void et_branches_text(const struct et_branches *b, const struct et_page *page);
void et_branches_json(const struct et_experiment *e, const struct et_branches *b, FILE *out);
void et_branches_svg(const struct et_branches *b, FILE *out);

/* Begins the JSON object of a lab experiment and writes which stored experiment it describes. */
void et_lab_json_begin(
	struct et_json *w, const struct et_experiment *e, const char *lab, FILE *out);
/* "+0.02": an error in percent; a larger one has fewer decimals; NaN is "–". */
const char *et_format_error(double error, char buf[ET_FIGURE]);
