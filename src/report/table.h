/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result as a table for a document, one row a command: time with its expanded uncertainty, or
 * by K-best without one; range; ratio to the reference with half of its interval. One unit for the
 * whole table.
 */
#ifndef ET_REPORT_TABLE_H
#define ET_REPORT_TABLE_H

#include "model/result.h"

void et_markdown_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
void et_asciidoc_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
void et_orgmode_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

#endif
