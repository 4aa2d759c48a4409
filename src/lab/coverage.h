/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often do the intervals that we print contain the true value? Data of known laws go through
 * the functions that `describe`, `compare` and `run` (for its pairs) call. The simulation counts
 * how often the interval contains the truth, and how often the command would print a warning.
 */
#ifndef ET_LAB_COVERAGE_H
#define ET_LAB_COVERAGE_H

#include "lab/law.h"
#include "lab/progress.h"

/* The quantity that an interval is for. */
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
	const char *name, *title; /* in JSON; in tables */
	enum et_target target;
};

enum { ET_COVERAGE_METHODS = 15 };
extern const struct et_coverage_method et_coverage_methods[ET_COVERAGE_METHODS];

/* Counts of repetitions, for one method. */
struct et_attained {
	uint32_t defined; /* the method yielded an interval */
	uint32_t covered; /* the interval contained the truth */
	uint32_t silent;  /* the interval did not, and the command gave no warning */
};

/* One case of the simulation: a law and a number of values. */
struct et_coverage_cell {
	const struct et_law *law;
	size_t n;
	uint32_t repetitions; /* done */
	/* Repetitions with a warning. */
	uint32_t warned_run;      /* of run about a series */
	uint32_t warned_describe; /* of describe about a series */
	uint32_t warned_pairs;    /* of run about the pairs of two series */
	uint32_t warned_separate; /* of compare about two series */
	struct et_attained attained[ET_COVERAGE_METHODS];
	uint32_t silent_run; /* run's interval for the mean missed it, and run gave no warning */
};

struct et_coverage_options {
	uint64_t seed;
	uint32_t repetitions;
	size_t replicates;        /* of the bootstrap */
	const struct et_law *law; /* NULL: all */
	size_t n;                 /* values per case; 0: 10, 30 and 100, or 1000 for NIST's laws */
	struct et_lab_progress progress;
};

struct et_coverage {
	double level; /* nominal confidence of all intervals */
	struct et_coverage_cell *cells;
	size_t n_cells;
};

/* et_coverage_free frees out. */
void et_coverage_run(const struct et_coverage_options *o, struct et_coverage *out);
void et_coverage_free(struct et_coverage *c);

#endif
