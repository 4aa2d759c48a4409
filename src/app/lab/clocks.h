/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of `etalon lab` that measure inside this process how good clocks are. Each stores its
 * figures as an experiment, and its tables are computed from that.
 */
#pragma once

#include "app/lab/experiments.h"
#include "lab/branches.h"
#include "lab/cache_effects.h"
#include "lab/interval_accuracy.h"
#include "lab/kbest_accuracy.h"

/* One of them: how it measures, and how it prints the result. */
struct et_lab_timed {
	const char *name;
	int (*measure)(struct et_lab_request *r, struct et_experiment **out, struct et_error *err);
	int (*print)(const struct et_lab_request *r, const struct et_experiment *e, FILE *svg,
		struct et_error *err);
};

extern const struct et_lab_timed et_lab_kbest, et_lab_interval, et_lab_cache, et_lab_branch;

/* Returns the loads and lengths that the user gave, else the usual ones of the experiment. */
struct et_lab_grid et_lab_grid(const struct et_lab_request *r, const struct et_lab_grid *usual);

void et_branches_text(const struct et_branches *b, const struct et_page *page);
void et_branches_svg(const struct et_branches *b, FILE *out);

void et_cache_effects_text(const struct et_cache_effects *c, const struct et_page *page);
void et_cache_effects_json(
	const struct et_experiment *e, const struct et_cache_effects *c, FILE *out);
void et_cache_effects_svg(const struct et_cache_effects *c, FILE *out);

/* all: print the tables of all errors as well. */
void et_kbest_accuracy_text(
	const struct et_kbest_accuracy *a, bool all, const struct et_page *page);
void et_kbest_accuracy_json(
	const struct et_experiment *e, const struct et_kbest_accuracy *a, FILE *out);

enum et_kbest_figure {
	ET_KBEST_LONG,        /* 9.11: the calls of the longest function in order */
	ET_KBEST_SHORT,       /* 9.12: the same for a function of about 8 ms */
	ET_KBEST_BY_LOAD,     /* 9.14: the error by length, and that of libetalon */
	ET_KBEST_BY_K,        /* 9.15: for K = 1 to 5 */
	ET_KBEST_COMPENSATED, /* 9.16: without the timer interrupts that a call met */
	ET_KBEST_TIME_OF_DAY, /* 9.22: by gettimeofday() */
	ET_KBEST_CONVERGENCE, /* question 2: calls until K agree */
	ET_KBEST_PREDICTED,   /* question 3: the predicted error beside the true one */
};

/* Their names as the user gives them; NULL ends it. */
extern const char *const et_kbest_figure_names[];

void et_kbest_figure_text(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, const struct et_page *page);
void et_kbest_figure_svg(const struct et_kbest_accuracy *a, enum et_kbest_figure figure, FILE *out);

/* measured / true - 1 of a scheme of the chapter, and of libetalon. */
double et_kbest_scheme_error(
	const struct et_kbest_accuracy *a, const struct et_accuracy_cell *c, struct et_scheme s);
double et_kbest_our_error(const struct et_accuracy_cell *c);
/* The scheme with a->k by the counter. */
struct et_scheme_result et_kbest_by_counter(
	const struct et_kbest_accuracy *a, const struct et_accuracy_cell *c);

/* The cases of one load, judged by that scheme. */
struct et_kbest_answers {
	size_t cases, converged;
	double median_calls;     /* of cases that converged; NaN if none did */
	double predicted, worst; /* largest of those: predicted, and true error without its sign */
};

struct et_kbest_answers et_kbest_answers_of(const struct et_kbest_accuracy *a, unsigned load);
