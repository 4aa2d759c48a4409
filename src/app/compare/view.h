/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of several series as text (table, verdicts, forest plot, matrix) and as JSON. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/result/fleet.h"
#include "model/result/series.h"
#include "stats/compare/compare.h"

void et_compare_text(const struct et_series *s, const struct et_comparison *c,
	const struct et_page *page, bool verbose);
void et_compare_json(const struct et_series *s, const struct et_comparison *c, FILE *out);

/* The machines of a fleet, for `list`, `compare`, `report`, and the end of `run` and `doe run`. */

/* "n7 is slower than the fleet by 6.2 % (5.1 … 7.3); …": one line, which the caller frees. */
char *et_machines_verdict(const struct et_fleet *f) __attribute__((malloc, returns_nonnull));
/* By what the machines were compared: "CPU time of 2 programs, 95 %"; the caller frees it. */
char *et_machines_basis(const struct et_fleet *f) __attribute__((malloc, returns_nonnull));

/* Prints a line per machine, and the notes; times: has times, not numbers of experiments. */
void et_machines_table(
	const struct et_fleet *f, uint64_t now_wall_ns, bool times, const struct et_page *page);
/* The verdict, the table with times, and what it was judged by. */
void et_machines_text(const struct et_fleet *f, uint64_t now_wall_ns, const struct et_page *page);
/* Writes the machines as an array of that key, which is NULL at the top. */
void et_machines_json(const struct et_fleet *f, const char *key, struct et_json *w);
void et_machines_page(const struct et_fleet *f, uint64_t now_wall_ns, FILE *out);
