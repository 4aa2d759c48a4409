/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row a sample, quoted after RFC 4180 (lines end with a line feed). What is not known is an
 * empty cell. A text that a spreadsheet would take for a formula (it begins with = + - @) gets an
 * apostrophe in front; control characters other than line feed and tab become their pictures.
 */
#ifndef ET_REPORT_CSV_H
#define ET_REPORT_CSV_H

#include "model/result.h"

void et_csv_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

#endif
