/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The results of a profile: each function with its uncertainty, and two profiles compared. The unit
 * of counts is one sample; an undefined figure is NaN (JSON null).
 */
#pragma once

#include "model/result/estimate.h"
#include "model/sample/profile.h"

struct et_span {
	double lo, hi; /* NaN: not known */
};

/* The rows of a result. */
enum et_profile_by {
	ET_BY_FUNCTION,
	ET_BY_MODULE,
};

/* Predictions of the standard deviation of a count (Flater, NIST TN 1826, section 3.2). */
enum et_profile_model {
	ET_MODEL_GPROF,        /* sqrt(N), N the mean count */
	ET_MODEL_MULTINOMIAL,  /* sqrt(n p (1 - p)), n: mean of the totals, p: the pooled share */
	ET_MODEL_QUANTISATION, /* sqrt(I p (1 - p)) of I calls; NaN if the calls are not known */
	ET_MODEL_WITH_TOTAL,   /* multinomial, and the share of the spread of the total */
	ET_PROFILE_MODELS,
};

/* A prediction per model, by its number or its name; both structs below are arranged likewise. */
struct et_profile_models {
	union {
		double by[ET_PROFILE_MODELS];
		struct {
			double gprof, multinomial, quantisation, with_total;
		};
	};
};

/* Which predictions the chi-square interval of the observed standard deviation contains. */
struct et_profile_fit {
	bool tested; /* there are enough samples; without, all are false */
	union {
		bool holds[ET_PROFILE_MODELS];
		struct {
			bool gprof, multinomial, quantisation, with_total;
		};
	};
};

/* The same over all rows. */
struct et_profile_verdict {
	size_t tested;              /* rows */
	size_t quantisation_tested; /* only where the calls are known */
	union {
		size_t holds[ET_PROFILE_MODELS];
		struct {
			size_t gprof, multinomial, quantisation, with_total;
		};
	};
};

/* Half of the runs, in order of execution, so that cold and hot ones can be told apart. */
struct et_profile_half {
	double mean;             /* samples per run; NaN: there are fewer than 4 runs */
	struct et_span interval; /* of the mean, at the row level; not below 0 */
};

/* One function or module over the runs of one command, without warm-up. */
struct et_profile_row {
	size_t group;              /* its place in the counts (stats/profile/counts.h) */
	uint32_t function;         /* of the profile; of a module its first one */
	const char *name, *module; /* belong to the profile; the name of a module's row is NULL */
	double mean, sd;           /* of the self samples per run; a run without it counts 0 */
	/* k is larger than the profile's if the counts are skewed or depend on each other. */
	double standard_uncertainty, coverage_factor, expanded_uncertainty;
	double df; /* of the standard uncertainty; may be infinite */
	bool skewed, dependent;
	/* Of the mean, at the row level: mean ± expanded uncertainty, but not below 0. */
	struct et_span interval;
	const char *interval_method; /* as of et_estimate; "poisson": no sample in any run */
	struct et_profile_half halves[2];
	/* Bootstrap intervals of the mean, at the bootstrap level; NaN: too few samples. */
	struct et_span mean_percentile, mean_bca;
	/* Of the standard deviation, at the level of one statement, as the note publishes them. */
	struct et_span sd_chi2, sd_percentile, sd_bca;
	double robust_sd;              /* interquartile range / 1.349 */
	double share;                  /* mean over the runs of count / total */
	struct et_span share_interval; /* at the row level */
	const char *share_method;      /* as interval_method, of the interval of the share */
	double pooled_share;           /* all runs thrown together */
	/* Samples in which it was on the stack; the same as self without call chains. */
	double total_mean, total_share;
	struct et_span total_interval, total_share_interval;
	struct et_profile_models predicted;
	struct et_profile_fit fit;
	double calls;        /* per run; NaN: not known */
	double at_entry;     /* share of its samples at its first instruction; NaN: no addresses */
	double samples;      /* of all runs */
	size_t seen_in_runs; /* runs in which it has at least one sample */
	struct et_warnings warnings; /* about this row */
};

/* The result of one command's runs. */
struct et_profile_result {
	uint32_t command;
	enum et_profile_by by;
	size_t runs;            /* that count; invalid ones are left out */
	size_t invalid;         /* throttled, or with lost records */
	double level;           /* wanted for all statements together, 0.95 */
	size_t statements;      /* that hold together; 1: each row by itself */
	double row_level;       /* of each row: level^(1/statements), by Šidák */
	double bootstrap_level; /* the row level if the replicates reach it, else the level */
	double coverage_factor; /* Student's t at the row level with runs - 1 degrees of freedom */
	struct et_estimate total; /* of all samples per run */
	struct et_profile_half total_halves[2];
	double period_ns; /* CPU time that one sample stands for; NaN: not known */
	uint64_t samples, lost, overruns, throttled;
	struct et_profile_row *rows; /* descending by share */
	size_t n_rows;
	struct et_profile_verdict models; /* which of them hold */
	struct et_warnings warnings;      /* about the profile as a whole */
};

/* How one function differs between two commands. */
struct et_profile_change {
	uint32_t function;         /* of command a, or of b if a does not have it */
	uint32_t function_b;       /* the same function in b, which may be in another file */
	const char *name, *module; /* name is NULL: a whole module */
	double mean_a, mean_b;     /* samples per run */
	double share_a, share_b;
	double difference; /* mean_b - mean_a */
	/*
	 * Of the difference, at the level of the contrast, so that all intervals hold together.
	 * It ends at 0 or beside it exactly where the change is significant.
	 */
	struct et_span interval;
	/* A t test of the means, with Holm over all functions; a rare one has no p. */
	struct et_contrast contrast;
};

struct et_profile_comparison {
	uint32_t a, b; /* commands */
	enum et_profile_by by;
	bool with_callees; /* samples of a row with those of what it called */
	double alpha;
	size_t family;                  /* functions that were tested together */
	size_t too_rare;                /* functions with too few samples to be tested */
	double level;                   /* of each interval, by Bonferroni */
	struct et_profile_change *rows; /* significant ones first, then by size of the change */
	size_t n_rows;
	struct et_profile_change total; /* all samples; tested by itself */
	struct et_warnings warnings;
};

/* The largest half width of rows with at least that share; NaN: there is none, or not known. */
double et_profile_widest(const struct et_profile_result *r, double least_share);

void et_profile_result_free(struct et_profile_result *r);         /* what it owns */
void et_profile_comparison_free(struct et_profile_comparison *c); /* likewise */
