/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row per sample with a column for each of its fields (model/field.h), quoted as in RFC 4180,
 * except that lines end with a line feed. The cell of an unknown value is empty. A text that a
 * spreadsheet would take for a formula (it begins with one of "=+-@" or a tab) gets an apostrophe
 * in front; control characters other than line feed and tab are replaced by their Unicode control
 * pictures.
 */
#ifndef ET_REPORT_CSV_H
#define ET_REPORT_CSV_H

#include "model/result.h"

/* Writes one cell of text; NULL is an empty one. */
void et_csv_text(const char *text, FILE *out);
/*
 * One row per command, as hyperfine's CSV: elapsed times in seconds, then a column parameter_NAME
 * for each parameter.
 */
void et_csv_write_summary(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
void et_csv_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

#endif
