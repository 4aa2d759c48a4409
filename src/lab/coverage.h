/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often do the intervals that we print hold the truth? Data of known laws go through the same
 * functions as a user's, `describe`, `compare` and the pairs of `run`, and what comes out is
 * counted: what was covered, and in how many of the cases a warning was printed beside it.
 */
#ifndef ET_LAB_COVERAGE_H
#define ET_LAB_COVERAGE_H

#include "lab/law.h"
#include "lab/progress.h"

enum et_target {
	ET_TARGET_MEAN,
	ET_TARGET_MEDIAN,
	ET_TARGET_SD,
	ET_TARGET_PAIRS,    /* the ratio of two programs run in pairs */
	ET_TARGET_SEPARATE, /* the ratio of two independent series */
	ET_TARGETS,
};

extern const char *const et_target_names[];

struct et_coverage_method {
	const char *name, *title;
	enum et_target target;
};

enum { ET_COVERAGE_METHODS = 15 };
extern const struct et_coverage_method et_coverage_methods[ET_COVERAGE_METHODS];

struct et_attained {
	uint32_t defined; /* repetitions in which there was an interval */
	uint32_t covered;
	uint32_t silent; /* it did not cover, and the command that prints it gave no warning */
};

/* A law and a number of values. */
struct et_coverage_cell {
	const struct et_law *law;
	size_t n;
	uint32_t repetitions;
	/* in how many of them something was warned of: by run and describe about the series, by run
	   about the pairs, by compare about the two series */
	uint32_t warned_run, warned_describe, warned_pairs, warned_separate;
	struct et_attained attained[ET_COVERAGE_METHODS];
	uint32_t silent_run; /* run's mean (Student) did not cover, and run gave no warning */
};

struct et_coverage_options {
	uint64_t seed;
	uint32_t repetitions;
	size_t replicates;        /* of the bootstrap */
	const struct et_law *law; /* NULL: all */
	size_t n;                 /* 0: 10, 30, 100; 1000 for NIST's mixture */
	struct et_lab_progress progress;
};

struct et_coverage {
	double level;
	struct et_coverage_cell *cells;
	size_t n_cells;
};

void et_coverage_run(const struct et_coverage_options *o, struct et_coverage *out);
void et_coverage_free(struct et_coverage *c); /* what it owns */

#endif
