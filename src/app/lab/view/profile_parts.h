/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces that the tables and pictures of the lab's experiments about profilers share. */
#pragma once

#include "base/json.h"
#include "draw/table.h"
#include "lab/profile_treatment.h"

#define ET_LAB_BOLD "1"

/* Treatments of one instrument are successive. Returns the first after those of treatment i. */
size_t et_lab_same_instrument(const struct et_profile_study *s, size_t i);

/* "412.3 ± 1.2": with the digits that the uncertainty supports. */
const char *et_format_count(double mean, double uncertainty, char buf[ET_FIGURE]);
/* "12.3 (9.8 … 14.2)"; without an interval the number alone. */
const char *et_format_spread(double sd, const struct et_span *interval, char buf[ET_FIGURE]);
/* Three digits; NaN is "–". */
const char *et_format_short(double x, char buf[ET_FIGURE]);

/* An autocorrelation with two decimals. */
const char *et_format_r1(double r, char buf[ET_FIGURE]);

/* Says which runs do not count, and which instruments are missing. */
void et_lab_invalid_text(const struct et_profile_study *s, const struct et_page *page);
void et_lab_missing_text(const struct et_profile_study *s, const struct et_page *page);
/* Says how many runs have no share. */
void et_lab_without_share_text(const struct et_profile_study *s, const struct et_page *page);
/* Says that the runs are too few, if they are. */
void et_lab_few_text(const struct et_profile_study *s, const struct et_page *page);

/* Begins the JSON object of a study: its name, experiments and missing instruments. */
void et_lab_study_json_begin(struct et_json *w, const struct et_profile_study *s, FILE *out);

/* Values of the n treatments from `first`: of category c, by a function of its cell. */
double *et_lab_values(const struct et_profile_study *s, size_t first, size_t n, size_t c,
	double (*of)(const struct et_treatment_cell *cell));
