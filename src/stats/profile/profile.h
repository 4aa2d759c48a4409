/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The statistics of profiles (Flater, NIST TN 1826): the uncertainty of each function's count by
 * Type A evaluation over runs, models of it beside the data, and which functions changed.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/profile_result.h"

/* How a profile is judged. */
struct et_profile_options {
	enum et_profile_by by;
	bool total;   /* sort by total time: with the functions that were called */
	double level; /* of all statements together; 0: 0.95 */
	/* 1: each row by itself; 0: all rows with samples, own or (with totals) on their stacks. */
	size_t statements;
	/* Of the bootstrap; 0: none (NaN). Rows below 1 % get it while it takes about a second. */
	uint32_t replicates;
	uint64_t seed;
	unsigned threads; /* of the bootstrap, which does not depend on it; 0 counts as 1 */
	bool compare;     /* the second command with the first, if there are two */
	/* For those who show the result; the statistics do not use them. */
	size_t top;   /* rows of the text and of the page; 0: all */
	double least; /* rows with fewer samples per run are not shown; 0: all are */
};

/* By function, 20 rows with at least half a sample per run, 9999 replicates. */
extern const struct et_profile_options et_default_profile_options;

/*
 * Judges the runs of one command that count: no warm-up, not removed, not throttled, no records
 * lost. Takes an experiment with a profile. The names in *out belong to the profile.
 */
void et_profile_judge(const struct et_experiment *e, uint32_t command,
	const struct et_profile_options *o, struct et_profile_result *out);
/*
 * Returns what --until looks at: et_profile_widest of the functions with at least 1 % of the
 * samples, of that many statements together (0: as many as functions).
 */
double et_profile_reached(const struct et_experiment *e, uint32_t command, size_t statements);
/*
 * The upper bound, at the level of a two-sided interval, of a mean whose n values are all 0: counts
 * of rare events are Poisson. Of functions that no run saw, which are no rows.
 */
double et_profile_bound_of_zeros(double n, double level);
/*
 * Compares command b with command a, function by function or module by module, at the level alpha
 * for all of them. With `total` the samples of a function are those of what it called, too. Runs of
 * the same round are pairs; without rounds, the runs are two independent series. Functions of the
 * same name are the same, even if the file is another one, unless the name is ambiguous; so are
 * modules whose paths differ in the folder. Those with fewer than ET_PROFILE_TESTABLE samples in
 * all are not tested.
 */
enum { ET_PROFILE_TESTABLE = 20 };
struct et_profile_pair {
	uint32_t a, b; /* commands */
	enum et_profile_by by;
	bool total;
	double alpha;
};
void et_profile_compare(const struct et_experiment *e, const struct et_profile_pair *pair,
	struct et_profile_comparison *out);

/* A profile with its results. */
struct et_profiled {
	const struct et_experiment *experiment; /* with a profile; it outlives the results */
	struct et_profile_options view;
	struct et_profile_result *results; /* one per command, in order, by function or module */
	struct et_profile_result *modules; /* the same by module; NULL: the results are by module */
	size_t n;
	bool compared;
	struct et_profile_comparison comparison; /* of the second command with the first */
	struct et_warnings warnings;             /* about the machine and the session */
};

/* Judges all commands of a profile, with its seed, and its level unless the options have one. */
void et_profiled_judge(const struct et_experiment *e, const struct et_profile_options *view,
	struct et_profiled *out);
void et_profiled_free(struct et_profiled *p); /* what it owns */
