/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision of --fail-on-regression in words. */
#pragma once

#include "stats/compare/gate.h"

#include <stdio.h>

/*
 * "REGRESSION: new is 44 % slower than old (40 … 48 %), limit 5 %"; "no regression: …" if the whole
 * interval is within the limit, "no regression shown: …" if it contains a limit of 0; or
 * "undecided: …" with the runs that would decide. The caller frees it.
 */
char *et_gate_text(const struct et_contrast *c, double limit, const char *b, const char *a);
/*
 * Prints a line for each regression; if there is none, one for the comparison that comes nearest
 * to it. A further line says if only the other time regressed. `before` is put before each line,
 * and names are those of the compared commands or series. Returns what was decided.
 */
enum et_gate_verdict et_gate_print(
	const struct et_gate *g, const char *const *names, const char *before, FILE *out);
