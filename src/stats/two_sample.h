/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two independent series by the protocol of Nogueira & Matias: both normal (Shapiro-Wilk at
 * 0.05): the F test of variances, then Student's or Welch's t; otherwise Kolmogorov-Smirnov about
 * the medians, for the same shape, and Wilcoxon-Mann-Whitney. All two-sided.
 */
#ifndef ET_STATS_TWO_SAMPLE_H
#define ET_STATS_TWO_SAMPLE_H

#include "model/estimate.h"

/*
 * Fills what a contrast says of independent series; its level is set. Statistics are those of
 * (a, b): positive t where a is larger; the ratio is b/a: of means with Fieller's (1954) interval
 * at the test's variances and freedom, or exp of the Hodges-Lehmann shift of the logarithms.
 */
void et_judge_apart(const double *a, size_t na, const double *b, size_t nb, bool both_gaussian,
	struct et_contrast *out);

#endif
