/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two independent series by the protocol of Nogueira & Matias. If both may be normal
 * (Shapiro-Wilk at 0.05): the F test of variances, then Student's or Welch's t. Otherwise:
 * Kolmogorov-Smirnov about the medians, for equal shapes, then Wilcoxon-Mann-Whitney. All
 * two-sided. Shapes are compared on the scale of the ratio: by logarithms if all values are above
 * 0.
 *
 * Dependence of successive values (stats/series/serial.h) widens all of them: the t test is
 * then Welch's, with its components of effective sizes combined by Welch-Satterthwaite.
 */
#pragma once

#include "model/result/estimate.h"
#include "model/result/series.h"

/*
 * Fills the members of a contrast about independent series; its level is set. Values are in order
 * of execution. Statistics are those of (a, b): positive t where a is larger; the ratio is b/a: of
 * means with Fieller's (1954) interval at the test's variances and freedom, or exp of the
 * Hodges-Lehmann shift of the logarithms.
 */
void et_judge_apart(const double *a, size_t na, const double *b, size_t nb, bool both_gaussian,
	struct et_contrast *out);
/*
 * The same without a correction: the p that decides is the test's own, as in the paper. For series
 * whose runs were spread over an experiment in random order, so that dependence does not matter.
 */
void et_judge_as_published(const double *a, size_t na, const double *b, size_t nb,
	bool both_gaussian, struct et_contrast *out);

/* The two-sample Kolmogorov-Smirnov test: have two series the same distribution? */
struct et_ks {
	double d; /* largest distance between the two empirical distributions */
	double p;
	bool exact;
};

/* Exact (given the ties) when nx * ny < 10000, as R; else asymptotic. NaN when one is empty. */
struct et_ks et_ks_test(const double *x, size_t nx, const double *y, size_t ny);

/* By the limit law; sizes need not be whole, because dependent values count as fewer. */
double et_ks_asymptotic_p(double d, double nx, double ny);

/*
 * Wilcoxon-Mann-Whitney: does x tend to be larger than y? With the Hodges-Lehmann shift, its
 * interval, and Cliff's delta. Memory O(n), time O(n log n): see num/quantile.h.
 */
struct et_rank_sum {
	double w; /* pairs with x > y, ties counting one half */
	double p;
	double shift;  /* x against y: the median of all differences x_i - y_j */
	double lo, hi; /* NaN when the level cannot be reached, or all values are tied */
	double delta;  /* Cliff (1993): P(x > y) - P(x < y) */
	bool exact;
};

/* Exact as in R (no ties, below 50 per side), else normal with tie and continuity corrections. */
struct et_rank_sum et_rank_sum_test(
	const double *x, size_t nx, const double *y, size_t ny, double level);

/* Exact with ties, over all orderings; NaN beyond 60 per side, where it takes too long. */
double et_rank_sum_permutation_p(const double *x, size_t nx, const double *y, size_t ny);

/*
 * Compares two series of different experiments. They were measured at different times, and a change
 * of the machine between them looks like a difference of the programs. The probe, a fixed loop that
 * is timed around each run, shows how fast the machine was. It enters as a control variate: the
 * difference of the mean logarithms of the times is corrected by beta times that of the probe.
 *
 * beta is fitted within the two series, if it is significant there. Noise of single readings makes
 * the fitted beta too small for the means of many, and a program that computes has a beta of 1. So
 * the true one may be as far from the fitted one as 1 is, which adds (1 - beta)^2 / 2 times the
 * squared difference of the probe to the variance: a U-shaped distribution, whose ends are likely
 * (JCGM 101, 6.4.6). Where the machine was steady in either experiment, but not equally fast,
 * nothing can be fitted: then beta is 1/2 and may be as far off as 0 and 1, a variance of 1/8.
 */

/* One series with the reading of the probe at each value. */
struct et_probed {
	double *log_value, *log_probe; /* owned */
	size_t n;
};

/* The samples of a series of an experiment that have a reading. */
void et_probed_take(const struct et_series *s, struct et_probed *out);
void et_probed_free(struct et_probed *p); /* what it owns */
/* Whether there are enough readings to know how fast the machine was. */
bool et_probed_suffices(const struct et_probed *p);

/*
 * Replaces the test and the interval in `out`, which et_judge_apart has filled, if the probe shows
 * a different machine or explains part of the times; the level is that of `out`. Returns by how
 * much longer the probe took in b than in a, as a proportion; 0 if no difference is shown.
 */
double et_judge_across(
	const struct et_probed *a, const struct et_probed *b, struct et_contrast *out);
