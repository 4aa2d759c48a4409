/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result as a table for a document, with one row per command: the time with its expanded
 * uncertainty (K-best has none), the range, and the ratio to the reference with the half width of
 * its interval. All rows use the same unit. In Markdown a list of the verdicts follows.
 */
#pragma once

#include "model/result/result.h"

void et_markdown_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
void et_asciidoc_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
void et_orgmode_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
