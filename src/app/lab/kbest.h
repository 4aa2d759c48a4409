/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables and the figures of `etalon lab kbest-accuracy` share these. */
#pragma once

#include "app/lab/experiments.h"
#include "lab/kbest_accuracy.h"

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
void et_kbest_figure_draw(const struct et_kbest_accuracy *a, enum et_kbest_figure figure,
	const struct et_chart_to *to);

/* measured / true - 1 of libetalon in a struct et_accuracy_cell. */
double et_kbest_our_error(const void *cell);
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

/* Cells of a load are successive. */
static inline bool et_kbest_first_of_load(const struct et_kbest_accuracy *a, size_t i)
{
	return i == 0 || a->cells[i].load != a->cells[i - 1].load;
}

/* The result of the experiment, and how the user wants to see it. */
struct et_kbest_view {
	struct et_kbest_accuracy accuracy; /* the first member, so that it is freed with the view */
	bool all;                          /* print the tables of all errors as well */
	bool chosen;                       /* print the figure alone */
	enum et_kbest_figure figure;
};
