/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The spread of the number of samples of a function that is called I times and runs for v sampling
 * periods in all: figure 1 of NIST TN 1826 (Flater 2014). Each call begins at a random moment
 * between two samples.
 */
#pragma once

#include "lab/progress.h"

/* As published: 50 periods, up to six calls per period. */
enum { ET_QUANTISATION_PERIODS = 50, ET_QUANTISATION_CALLS = 6 * ET_QUANTISATION_PERIODS };

/* Variances of the count of one run, in samples². */
struct et_quantisation_point {
	double calls;         /* I */
	double bound_calls;   /* I / 4 */
	double bound_periods; /* v */
	double theory;        /* I p (1 - p), where p is the fraction of v / I */
	double simulated;
	double simulated_mean; /* v, if the counts are unbiased */
};

struct et_quantisation {
	double periods; /* v */
	uint32_t repetitions;
	uint64_t seed;
	struct et_quantisation_point points[ET_QUANTISATION_CALLS]; /* of 1, 2 … calls */
	size_t n; /* points; fewer than planned if it was stopped early */
};

/* The variance of a count: I p (1 - p). */
double et_quantisation_variance(double periods, double calls);
/* At least 2 repetitions for each number of calls. */
void et_quantisation_run(const struct et_simulation *o, struct et_quantisation *out);
