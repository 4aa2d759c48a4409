/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The factors of the environment as a table and as JSON, and the results of changing them. */
#pragma once

#include "draw/terminal.h"
#include "model/experiment/environment.h"

struct et_json;

/* Prints a table that fits the page; verbose adds why a factor matters and how to change it. */
void et_findings_print(const struct et_findings *f, const struct et_page *p, bool verbose);
void et_findings_json(const struct et_findings *f, FILE *out);
/* The same as one value of another document. */
void et_findings_write(const struct et_findings *f, struct et_json *j, const char *key);

/* Prints the names in groups: what apply would stop, what it keeps, others, kernel threads. */
void et_running_print(const struct et_running_list *r, const struct et_page *p);
void et_running_json(const struct et_running_list *r, FILE *out);

/* Prints one line per change, or per group of similar ones; restoring: they were undone. */
void et_results_print(const struct et_results *r, const struct et_page *p, bool restoring);
