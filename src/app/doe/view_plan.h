/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows a designed experiment before it is made: treatments, the order of runs, aliases, how long
 * it will take and which effects it can find.
 */
#pragma once

#include "draw/terminal.h"
#include "model/experiment/experiment.h"

/* The pilot runs of a program. */
struct et_doe_pilot {
	size_t n;
	double run_ns;   /* mean duration of a run; NaN: none was made */
	bool cut;        /* a run was ended because it took too long: run_ns is a lower bound */
	double mean, sd; /* of the response, within treatments; NaN: not known */
};

struct et_doe_outlook {
	const struct et_experiment *e;
	const struct et_planned_run *runs; /* the first of all_runs */
	size_t n_runs;
	uint64_t all_runs;
	const struct et_doe_pilot *pilots; /* one per program; NULL: none were made */
	const char *no_pilot;              /* why, as a sentence */
	const uint32_t *terms;             /* whose power is shown */
	size_t n_terms;
	double alpha;
	bool large; /* `doe run` asks for --yes */
};

/* The expected duration; NaN: not known. *at_least: it is a lower bound. */
double et_doe_plan_ns(const struct et_doe_outlook *o, bool *at_least);

/* The first sentence alone, and the whole text. */
void et_doe_plan_answer(const struct et_doe_outlook *o, const struct et_page *page);
void et_doe_plan_text(const struct et_doe_outlook *o, const struct et_page *page, bool verbose);
void et_doe_plan_json(const struct et_doe_outlook *o, FILE *out);
