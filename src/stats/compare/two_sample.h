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

#include <stdbool.h>
#include <stddef.h>

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

/* Exact (given the ties) when nx * ny < 10000, as R; asymptotic otherwise. NaN when one is empty.
 */
struct et_ks et_ks_test(const double *x, size_t nx, const double *y, size_t ny);

/* By the limit law; sizes need not be whole, because dependent values count as fewer. */
double et_ks_asymptotic_p(double d, double nx, double ny);
