/* SPDX-License-Identifier: MIT */
/*
 * How the time of a benchmark grows with the size of its input, from its cases of several sizes:
 * the models of num/growth.h, and cycles per element, the slope of T = m n + b (Bryant and
 * O'Hallaron 2001, chapters 5 and 9). Each process gives one time per case. Pure functions; like
 * etalon_bench_main, they may use base/base.h.
 */
#pragma once

#include "lib/bench/model.h"
#include "num/growth.h"

/* A line over the sizes. NaN: not known. */
struct et_per_element {
	double slope, lo, hi; /* per element, with its interval */
	double intercept;     /* of no elements; may be negative */
	double lack_p;        /* of the line: p-value of its lack of fit; NaN without repetitions */
};

/* A coefficient with its interval. NaN: the model cannot be fitted. */
struct et_coefficient {
	double ns, lo, hi;
};

struct et_complexity {
	char *name; /* of the benchmark; "n" is in the place of the size: "copy/n/2" */
	enum et_growth_problem problem; /* if not ET_GROWTH_FINE, nothing below is filled */
	struct et_growth growth;        /* all models; times are ns per call */
	bool asked;                     /* the benchmark names its model … */
	enum et_growth_model model;     /* … which may not be the best one */
	/* The coefficients of the best model and of `model`, in ns per unit of f: ns = a + b f. */
	struct et_coefficient best, of_model;
	struct et_per_element ns;     /* per element; NaN if no line can be fitted */
	struct et_per_element cycles; /* of the core; NaN without the event */
};

/*
 * Fits the cases of the new program with ETALON_BENCH_COMPLEXITY; those that differ in size alone
 * belong together. Returns how many elements *out has, for et_complexity_free.
 */
size_t et_complexity_fit(
	const struct et_bench_row *rows, size_t n, double level, struct et_complexity **out);
void et_complexity_free(struct et_complexity *list, size_t n);
