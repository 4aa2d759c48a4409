/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is the 95 % of a benchmark program true? The same program is invoked again and again. Two
 * successive invocations are compared as --baseline does, and each interval is held against the
 * answers of all other invocations.
 */
#pragma once

#include "lab/progress.h"
#include "lib/bench/judge.h"

enum { ET_BENCH_STATISTICS = 3 };
extern const char *const et_kbest_statistic_names[]; /* by enum et_bench_statistic */

/* The answer of one invocation for one function. */
struct et_kbest_answer {
	double ns, lo_ns, hi_ns;
	enum et_bench_statistic statistic;
};

/* One function over all invocations. */
struct et_kbest_coverage_row {
	char *name;
	struct et_kbest_answer *answers;
	size_t n, capacity;
	size_t compared, alarms;  /* pairs of successive invocations, and those called different */
	struct et_bench_row last; /* slices of the last invocation */
};

struct et_kbest_coverage {
	double level; /* that intervals and comparisons claim */
	struct et_kbest_coverage_row *rows;
	size_t n, capacity;
	size_t invocations;
};

/* Adds an invocation, from which it takes the slices. */
void et_kbest_coverage_add(struct et_kbest_coverage *c, struct et_bench_results *r);
et_lab_free et_kbest_coverage_free;

/* Figures of a function; NaN where there are too few invocations. */
struct et_kbest_attained {
	double ns;       /* mean of the answers: the value in the long run */
	double spread;   /* relative width that holds 95 % of the answers, if normal */
	double width;    /* median relative width of the intervals */
	double another;  /* share of the answers of others that an interval contains */
	double long_run; /* share of intervals that contain the mean of all others */
	double alarms;   /* share of comparisons that found a difference */
	double lo, hi;   /* 95 % interval of that share */
	enum et_bench_statistic statistic; /* the one chosen most often … */
	double chosen;                     /* … and in which share of invocations */
};

struct et_kbest_attained et_kbest_attained(const struct et_kbest_coverage_row *row);
