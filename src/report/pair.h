/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One comparison as text and as JSON, for `run`, `show` and `compare`. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/experiment/experiment.h"
#include "model/result/estimate.h"
#include "model/result/result.h"
#include "stats/compare/contrast.h"

/* "slower by 2.1 % (1.8 … 2.4)": the conclusion in words. The caller frees it. */
char *et_conclusion_text(const struct et_contrast *c);
/* Prints "b vs a: 1.021 × (1.018 … 1.024), slower by 2.1 %" and the warnings about it. */
void et_pair_text(const struct et_page *page, const char *b, const char *a,
	const struct et_contrast *c, bool verbose);
/* Writes an object; a and b are the names of the two series. */
void et_pair_json(struct et_json *w, const char *a, const char *b, const struct et_contrast *c);
/* The same into an object that is open already. */
void et_pair_json_members(
	struct et_json *w, const char *a, const char *b, const struct et_contrast *c);

/* The verdict of a comparison in one line, for `run` and `show`. */

/* "[2] is slower than [1] by 44 % (40 … 48)" of commands called b and a. The caller frees it. */
char *et_verdict_text(const struct et_contrast *c, const char *b, const char *a)
	__attribute__((malloc, returns_nonnull));
/*
 * The time, its reason, pairs and level: "elapsed time (2 keeps 1.9 CPUs busy), 10 pairs, 95 %".
 * `decisive` is what the command that decided is called. The caller frees it.
 */
char *et_verdict_basis(const struct et_metric_choice *choice, const struct et_contrast *c,
	const char *decisive) __attribute__((malloc, returns_nonnull));
/* Why elapsed time is judged: "it keeps 1.9 CPUs busy"; NULL: it needs no reason. Caller frees. */
char *et_metric_reason_text(const struct et_metric_choice *choice, const char *who);
/* The style of a verdict on a terminal; NULL if no difference is shown. */
const char *et_verdict_style(const struct et_contrast *c);

/* The decision of --fail-on-regression in words. */

/*
 * "REGRESSION: new is 44 % slower than old (40 … 48 %), limit 5 %"; "no regression: …", or "…
 * shown: …" if the interval contains a limit of 0; "undecided: …". The caller frees it.
 */
char *et_gate_text(const struct et_contrast *c, double limit, const char *b, const char *a);
/*
 * Prints a line for each regression, else for the comparison nearest to it, and one if only the
 * other time regressed; `before` precedes each line, and names are of commands or series.
 */
enum et_gate_verdict et_gate_print(
	const struct et_gate *g, const char *const *names, const char *before, FILE *out);
/* The same lines for the gate of an experiment; nothing if it has none. */
void et_gate_say(
	const struct et_experiment *e, const struct et_gate *g, const char *before, FILE *out);
/* Writes the same decision as "gate"; null if there is none. */
void et_gate_json(struct et_json *w, const struct et_experiment *e, const struct et_gate *g);
