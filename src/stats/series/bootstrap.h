/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bootstrap intervals for a mean, a standard deviation, a median and a ratio of means. The same
 * seed gives the same answer for every number of threads and every vector width. Memory: two
 * doubles per replicate and statistic (one without bootstrap-t), whatever n is.
 */
#pragma once

#include "num/resample.h"
#include "stats/series/interval.h"

struct et_boot_options {
	uint64_t seed;
	size_t replicates;
	double level;
	unsigned threads;    /* 0 counts as 1 */
	enum et_width width; /* ET_WIDTH_AUTO: the widest this machine has */
	bool bca;
	bool studentised; /* bootstrap-t */
	double against;   /* the value that p is about, if bca is set */
};

struct et_boot {
	double estimate;
	double se;   /* standard deviation of the replicates */
	double bias; /* their mean, less the estimate */
	double z0, acceleration;
	struct et_interval percentile, bca, t; /* NaN where undefined or not asked for */
	double p; /* two-sided: at this level the BCa interval ends at options->against */
};

/* Computes both from the same resamples; either may be NULL. */
void et_bootstrap_mean_sd(const double *x, size_t n, const struct et_boot_options *options,
	struct et_boot *mean, struct et_boot *sd);
/*
 * Draws the median of a resample from its distribution, without resampling: O(1) per replicate.
 * There is no bootstrap-t, which would resample in full; the order statistics are exact anyway.
 */
void et_bootstrap_median(
	const double *x, size_t n, const struct et_boot_options *options, struct et_boot *out);
/* The ratio mean x / mean y of two independent series. */
void et_bootstrap_ratio(const double *x, size_t nx, const double *y, size_t ny,
	const struct et_boot_options *options, struct et_boot *out);

/*
 * Private to the bootstrap. The median of n draws from the sorted values is an order statistic of
 * the drawn ranks (n odd), or the mean of two neighbours (n even). Only ranks near the middle have
 * any probability.
 */
struct et_median_law {
	const double *sorted;
	size_t n, middle; /* the lower middle order statistic of a resample, from 1 */
	size_t first, count;
	double *cumulative; /* of that order statistic's rank being first + i or less */
	double *scale;      /* n even: of the step from it to the upper middle one */
};

struct et_median_law et_median_law(const double *sorted, size_t n);
void et_median_law_free(struct et_median_law *law);
void et_median_draw(const struct et_median_law *law, uint64_t seed, uint64_t stream,
	double *medians, size_t count);
