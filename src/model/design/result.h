/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of a designed experiment: stats/doe/doe.h computes them, and reports print them. */
#pragma once

#include "model/design/design.h"
#include "model/result/estimate.h"

/* How effects were tested; see struct et_doe_program. */
enum et_doe_method {
	ET_DOE_ANOVA, /* normal residuals of equal spread */
	ET_DOE_WELCH, /* unequal spread: each treatment has a variance of its own */
	ET_DOE_RANKS, /* residuals that are not normal: aligned ranks */
};
extern const char *const et_doe_method_names[];

/* The mean over all runs in which the factors of a term have these levels. */
struct et_doe_mean {
	char *levels; /* "30000000", of interactions "30000000, 512" */
	double mean, lo, hi;
	size_t n;
};

/* An effect on one machine, in percent of the machine's own level. */
struct et_doe_on_machine {
	double percent, lo, hi;
};

/*
 * An effect over several machines. It is judged by logarithms, so that an effect is alike on a fast
 * and on a slow machine if it is the same in percent. Of a factor with more than two levels it is
 * the difference of the largest and the smallest mean; other interactions have tests only.
 */
struct et_doe_over_machines {
	double f, df, df2, p, p_holm; /* whether the effect differs between machines */
	bool differs;                 /* by p_holm */
	/* The mean effect on these machines, whatever it is on others: against the noise alone. */
	struct et_doe_on_machine here;
	double here_p, here_p_holm;
	bool here_significant;
	struct et_doe_on_machine *on; /* one per machine of struct et_doe_fleet */
	size_t n_on;
};

/* A main effect or an interaction. */
struct et_doe_effect {
	char *term;       /* "work", "work:pad" */
	uint32_t factors; /* bits of its factors */
	char *aliases;    /* terms that cannot be told apart from it, "b:c, d"; or NULL */
	/*
	 * Of factors with two levels: the mean at the second level minus that at the first (of
	 * interactions half the difference of the differences); of more levels the largest minus
	 * the smallest mean of its levels, adjusted for lower terms. In the unit of the response.
	 */
	double effect, lo, hi;
	double percent, percent_lo, percent_hi;     /* the same of the mean of all runs */
	double df, sum_squares, mean_square, share; /* share of the variation, 0 to 1 */
	double f, df2, p, p_holm;
	bool significant; /* by p_holm */
	struct et_doe_mean *means;
	size_t n_means;
	struct et_doe_over_machines over; /* all 0 without a fleet */
};

/* A component of the variance, as a relative sd: of logarithms, or over the mean of all runs. */
struct et_doe_component {
	double sd, lo, hi;
	double share; /* of the sum of all components, 0 to 1 */
	double df;    /* of its mean square */
};

/* One machine in the analysis of one program. */
struct et_doe_machine {
	size_t name; /* its place in the names of the result */
	size_t n;    /* runs that count */
	size_t n_parts;
	/*
	 * Its times over those of all these machines (geometric mean), and the noise of its runs
	 * within parts. The interval and p are by the variation from part to part; without parts by
	 * the noise, so that they hold at the time of the runs only.
	 */
	double ratio, lo, hi, noise, p_holm;
	bool differs;
};

/* The machines of a program with runs of all treatments, and what varies between and in them. */
struct et_doe_fleet {
	bool logs;       /* else values over their mean, because some are not above 0 */
	bool exact;      /* all treatments have equally many runs on all machines */
	bool replicated; /* else the interaction is part of the noise within machines */
	/* Machines have several parts, at different times; else they may differ by their times. */
	bool parts;
	struct et_doe_machine *machines;
	size_t n_machines, n_left_out;
	struct et_doe_component between, of_parts, interaction, within;
};

/* Checks of the residuals, and what follows from them. */
struct et_doe_residuals {
	double normal_p;         /* Shapiro-Wilk or a test of the larger number; NaN: not tested */
	double equal_p;          /* equal spread of all treatments (Brown-Forsythe) */
	double serial_p;         /* independence in the order of runs */
	double *values, *fitted; /* in the order of runs */
	size_t n;
};

/* One program under all treatments. */
struct et_doe_program {
	const char *name; /* of the design */
	size_t n;         /* runs that count */
	double mean, sd_residual, df_residual, ss_residual, share_residual, ss_total;
	double df_blocks, ss_blocks; /* of differences between blocks, which were removed; or 0 */
	char *not_estimated;         /* terms, because treatments are missing: "a, a:b"; or NULL */
	enum et_doe_method method;
	const char *why;           /* the method was chosen, as part of a sentence */
	bool balanced;             /* every treatment has equally many runs */
	struct et_estimate *cells; /* one per treatment; n == 0: no run counts */
	size_t n_cells, n_failed;  /* treatments; those of them that failed */
	struct et_doe_effect *effects;
	size_t n_effects;
	char *dropped_levels; /* without any run, so effects are of the others: "a=1, b=2"; or NULL
			       */
	size_t n_not_estimated;     /* terms */
	struct et_doe_fleet *fleet; /* NULL: fewer than two machines ran all treatments */
	struct et_doe_residuals residuals;
	struct et_contrast *pairs;     /* all pairs of treatments, a family of its own; a and b are
					  treatments */
	size_t n_pairs, before, after; /* pairs that differ before and after Holm's correction */
	struct et_warnings warnings;
};

/* A pair of treatments over all programs (the tables of Nogueira and Matias). */
struct et_doe_pair {
	uint32_t a, b;
	size_t programs;                        /* in which both were measured */
	size_t before, after;                   /* programs in which they differ */
	size_t student, welch, wilcoxon, other; /* programs judged by that test */
};

struct et_doe_result {
	const struct et_design *design; /* of the experiment, which outlives this */
	enum et_metric metric;
	enum et_unit unit;
	double alpha, level;
	bool blocked; /* a term for blocks was removed from the residuals */
	/*
	 * Effects are those of machines like these, with intervals and tests by their variation
	 * from machine to machine; else those of the machines that were measured.
	 */
	bool population;
	char **machines; /* names; ends with NULL */
	size_t n_machines;
	struct et_doe_program *programs;
	size_t n_programs;
	struct et_doe_pair *pairs;
	size_t n_pairs;
	struct et_warnings warnings;
};

void et_doe_result_free(struct et_doe_result *r); /* what it owns */
