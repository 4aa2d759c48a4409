/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One treatment of an experiment about profilers (NIST TN 1826): the runs of one command with one
 * instrument, its samples counted by categories of functions. The figures are those of `profile`,
 * because the same function judges them.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/profile_result.h"
#include "num/line.h"

enum { ET_MOST_CATEGORIES = 8 };

/* With fewer runs, standard deviations say little and autocorrelations nothing. */
enum { ET_TREATMENT_ENOUGH = 10 };

/* Functions whose samples are counted together. */
struct et_category {
	const char *name;
	const char *functions[4]; /* NULL ends them; none: all that no other category has */
	double calls;             /* per run; NAN: not known */
};

struct et_treatment_cell {
	const char *name;             /* of the category */
	double mean;                  /* samples per run */
	double expanded;              /* uncertainty of the mean, at the level of the treatment */
	double interval;              /* the same of one statement, at 95 % */
	struct et_span mean_interval; /* mean ± interval */
	double sd, robust_sd;
	double relative;            /* sd / mean; NaN if the mean is 0 */
	struct et_span sd_interval; /* bootstrap percentile, 95 % */
	/* Mean over the runs, of the samples in the functions under test; NaN: they have none. */
	double share;
	struct et_span share_interval; /* of all functions under test together, 95 % */
	struct et_profile_models predicted;
	/* Autocorrelation at lag 1 of dithered counts; NaN: all are equal, or too few runs. */
	double r1;
};

struct et_profile_treatment {
	const char *instrument; /* belongs to the caller */
	char name[32];          /* of the command */
	double x;               /* the level of the factor, if it is a number */
	size_t runs, invalid;   /* that count, and that were throttled or lost records */
	size_t without_share;   /* runs without a sample in the functions under test */
	uint64_t lost, overruns, throttled;
	size_t statements;           /* that hold together */
	double level, k;             /* of each statement, and Student's factor */
	double total_mean, total_sd; /* of all samples of a run */
	struct et_treatment_cell cells[ET_MOST_CATEGORIES];
	size_t n_cells;
	double *counts; /* owned; of cell i in run r: counts[i * runs + r] */
};

struct et_treatment_options {
	size_t statements;   /* about means that hold together at 95 % */
	size_t under_test;   /* this many categories from the first are the functions under test */
	uint32_t replicates; /* of the bootstrap */
	uint64_t seed;
};

/* Judges the runs of a command of an experiment with a profile. */
void et_treatment_judge(const struct et_experiment *e, uint32_t command,
	const struct et_category *categories, size_t n, const struct et_treatment_options *o,
	struct et_profile_treatment *out);
void et_treatment_free(struct et_profile_treatment *t); /* what it owns */

/*
 * The autocorrelation at lag 1 of counts to which a uniform number from -0.5 to 0.5 was added, so
 * that the steps of whole samples do not show (NIST TN 1826, section 5.1; the law is ours).
 */
double et_dithered_autocorrelation(const double *counts, size_t n, uint64_t seed);

/* How often the 95 % interval of the mean of `size` successive counts has the mean of all. */
struct et_group_coverage {
	size_t groups, covered;
};
void et_group_coverage(const double *counts, size_t n, size_t size, struct et_group_coverage *out);

/* NIST TN 1826, section 7.4: is the count of function1 what those of the four others predict? */
enum { ET_TRIANGLE_FUNCTIONS = 5 };

/* function1 to function5, the loop that calls them, and everything else. */
enum { ET_TRIANGLE_CATEGORIES = 7 };
extern const struct et_category et_triangle_categories[ET_TRIANGLE_CATEGORIES];

struct et_triangle_verdict {
	struct et_line line;     /* through the means of function2 to function5 */
	double projected;        /* the line at function1 */
	double half_width;       /* of its 95 % prediction interval */
	double joint_half_width; /* the same, if those of all configurations hold together */
	double observed;         /* the mean of function1, and its own 95 % interval */
	double observed_half_width;
	/*
	 * The observed mean is outside of the joint interval of the projection by more than
	 * rounding, and its own 95 % interval excludes the projection.
	 */
	bool anomalous;
	/* The shares have intervals: at least two runs have samples. Without, none holds. */
	bool shares_known;
	/* The share of each function is within its simultaneous interval. */
	bool shares_hold[ET_TRIANGLE_FUNCTIONS], all_shares_hold;
};

/* The expected share of function i (from 0) of the samples in the five functions. */
double et_triangle_share(size_t i);

/*
 * One of `configurations` that are judged together. Shares are of all samples, so they are expected
 * to be 5/15 … 1/15 only where the loop and the rest have next to none.
 */
void et_triangle_judge(const struct et_profile_treatment *t, size_t configurations,
	struct et_triangle_verdict *out);

/* Bias by address (NIST TN 1826, section 8): equal instructions should be sampled alike. */
enum { ET_BIAS_ADDRESSES = 257, ET_BIAS_RESIDUES = 16 };

struct et_chi_square {
	double statistic, df, p; /* NaN without samples */
};

struct et_address_bias {
	size_t runs;
	uint64_t inside;                             /* samples in the function */
	uint64_t elsewhere;                          /* in the program and in the kernel */
	uint64_t kernel;                             /* of those elsewhere */
	uint64_t addresses[ET_BIAS_ADDRESSES];       /* by instruction */
	uint64_t residues[ET_BIAS_RESIDUES];         /* of the instruction's number modulo 16 */
	size_t hit;                                  /* addresses with at least one sample */
	struct et_chi_square by_address, by_residue; /* against equal shares */
};

/* Counts samples by address: functions are NAME+0xOFFSET, instructions `step` bytes long. */
void et_address_bias_judge(const struct et_experiment *e, uint32_t command, const char *function,
	unsigned step, struct et_address_bias *out);
