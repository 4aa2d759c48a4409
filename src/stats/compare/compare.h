/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares several series: all pairs, or all with one of them, as one family. */
#pragma once

#include "model/result/series.h"
#include "stats/series/interval.h"

/* The figures of one series that a comparison needs. */
struct et_compared {
	double mean, sd, median;
	struct et_normality shapiro;
	bool gaussian;
	struct et_warnings warnings;
};

/* A test of all series at once: is there any difference? */
struct et_omnibus {
	const char *test; /* "anova", "welch-anova", "kruskal-wallis"; NULL: not tested */
	double statistic, df, p;
	double df2; /* of an analysis of variance; NaN otherwise */
};

struct et_comparison {
	double alpha;
	double level; /* of each interval */
	bool simultaneous, by_name;
	struct et_omnibus all;       /* of three or more independent series */
	struct et_compared *samples; /* one per series */
	size_t n_samples;
	struct et_contrast *pairs; /* a and b are places in the list of series */
	size_t n_pairs;
	double before_holm, after_holm; /* share of the pairs that differ */
	struct et_warnings warnings;    /* about the machine, once for all series */
};

struct et_compare_options {
	double alpha;
	const size_t *reference; /* NULL: every pair */
	bool by_name; /* only pairs of the same function in two experiments, the earlier first */
	bool simultaneous; /* all intervals together cover with 1 - alpha (Sidak), not each */
	bool bootstrap;    /* ratios of independent series: of the means, by the bootstrap (BCa) */
};

/*
 * Series of one experiment are compared as et_contrast_make does, others as independent; those of
 * different experiments are corrected by the probe (stats/compare/two_sample.h).
 */
void et_compare(const struct et_series *series, size_t n, const struct et_compare_options *o,
	struct et_comparison *out);
/* The command line that measures the commands of two experiments in one. The caller frees it. */
char *et_compare_in_one(const struct et_series *a, const struct et_series *b);
/* Are all series functions of benchmark programs, and is one of them in two experiments? */
bool et_compare_functions(const struct et_series *series, size_t n);
void et_comparison_free(struct et_comparison *c); /* what it owns */
