/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes one series: summary, intervals, bootstrap, diagnosis. */
#pragma once

#include "stats/series/bootstrap.h"
#include "stats/series/diagnosis.h"

struct et_describe_options {
	double level;
	size_t replicates;    /* of the bootstrap; 0: none */
	bool replicates_free; /* the user gave no number: a long series gets fewer, or none */
	uint64_t seed;
	size_t lags; /* of acf and Ljung-Box; 0: as many as suit n */
	unsigned threads;
};

enum { ET_DESCRIBE_REPLICATES = 9999, ET_MOVING_MOST = 60 };

struct et_description {
	struct et_estimate estimate;      /* with all warnings */
	struct et_mean_interval interval; /* that of the estimate, with its parts */
	struct et_interval median_interval;
	struct et_interval sd_interval; /* chi-square */
	struct et_diagnosis diagnosis;
	double *acf; /* lag 1 … n_acf */
	size_t n_acf;
	double acf_band;
	/*
	 * Of values in coarse steps, after uniform noise of ± half a step was added (dithering:
	 * NIST TN 1826, 5.1), because rounding itself looks like a correlation; NULL for others.
	 */
	double *acf_dithered;
	/* Means of `window` successive values, at n_moving places evenly over the series (5.5). */
	double moving[ET_MOVING_MOST];
	size_t window, n_moving;
	/* The first values, if far above the others because caches were cold; else cold.n is 0. */
	struct {
		size_t n;
		double mean;
		struct et_estimate rest;
	} cold;
	struct et_test ljung_box; /* df is the lag */
	size_t replicates;        /* 0: the bootstrap below was not made */
	uint64_t seed;
	struct et_boot mean, median, sd;
};

void et_describe(const double *x, size_t n, enum et_unit unit, const struct et_describe_options *o,
	struct et_description *out);
void et_description_free(struct et_description *d); /* what it owns */
