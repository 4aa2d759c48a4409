/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often do the intervals that we print contain the true value? Data of known laws go through
 * the functions that `describe`, `compare` and `run` call: for `run`, an experiment is filled with
 * the data, the rules of its protocol remove samples, and the rest is judged. The simulation counts
 * how often the interval contains the truth, and how often the command would print a warning.
 */
#pragma once

#include "lab/law.h"
#include "lab/progress.h"

/* The quantity that an interval is for. */
enum et_target {
	ET_TARGET_RUN, /* the mean, as run prints it */
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

enum { ET_COVERAGE_METHODS = 18 };
extern const struct et_coverage_method et_coverage_methods[ET_COVERAGE_METHODS];
/* Of these, the mean as `run` prints it by default, and with --until. */
enum { ET_COVERAGE_OF_RUN = 0, ET_COVERAGE_OF_UNTIL = 2 };

/* Counts of repetitions, for one method. */
struct et_attained {
	uint32_t defined; /* the method yielded an interval */
	uint32_t covered; /* the interval contained the truth */
	uint32_t silent;  /* the interval did not, and the command gave no warning */
	uint32_t warned;  /* the command gave a warning */
	uint64_t runs;    /* values that made the interval, over all repetitions; 0: not counted */
};

/* One case of the simulation: a law and a number of values. */
struct et_coverage_cell {
	const struct et_law *law;
	size_t n;
	uint32_t repetitions; /* done */
	/* Repetitions with a warning. */
	uint32_t warned_describe; /* of describe about a series */
	uint32_t warned_pairs;    /* of run about the pairs of two series */
	uint32_t warned_separate; /* of compare about two series */
	struct et_attained attained[ET_COVERAGE_METHODS];
};

struct et_coverage_options {
	struct et_simulation simulation;
	const struct et_law *law; /* NULL: all */
	size_t n;                 /* values per case; 0: 10, 30 and 100, or 1000 for NIST's laws */
};

struct et_coverage {
	double level;                    /* nominal confidence of all intervals */
	struct et_simulation simulation; /* as requested */
	struct et_coverage_cell *cells;
	size_t n_cells;
};

/* et_coverage_free frees out. */
void et_coverage_run(const struct et_coverage_options *o, struct et_coverage *out);
et_lab_free et_coverage_free;
