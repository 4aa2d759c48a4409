/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment as a person or a program reads it: findings, and what came of changes. */
#ifndef ET_REPORT_ENVIRONMENT_H
#define ET_REPORT_ENVIRONMENT_H

#include "model/environment.h"
#include "report/terminal.h"

/* A table that fits the page; verbose adds why a factor matters and what to do. */
void et_findings_print(const struct et_findings *f, const struct et_page *p, bool verbose);
void et_findings_json(const struct et_findings *f, FILE *out);

/* Prints a line per change, similar ones together; restoring: they were restored, not made. */
void et_results_print(const struct et_results *r, const struct et_page *p, bool restoring);

#endif
