/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether the central cluster of the dual-execution scatter plot is symmetric (EMP, step 3; SEDONA,
 * step 4). The papers look at it; here it is tested, by elapsed time:
 *
 * - about its centre: the samples of the cluster by the triples test (num/triples.h). The p is that
 *   of Student's t with n/6 degrees of freedom, which fits simulations of 20 to 300 normal, uniform
 *   and long-tailed values at 0.5 %. A disturbance that makes many samples a little longer, without
 *   a gap that would end the cluster, makes it skewed.
 * - about the diagonal: the two times of a pair by Spearman's rank correlation. Noise that is new
 *   in every sample makes a round cluster; drift, or a disturbance that lasts for several samples,
 *   stretches it along the diagonal.
 *
 * The cluster is symmetric if neither test is significant at 0.5 % (Bonferroni: both together at
 * 1 %). The tests need 20 samples and 10 pairs. Noise that is skewed by nature, such as log-normal
 * noise, is found asymmetric if there are enough samples: it is.
 */
#pragma once

#include "model/sample/daemon.h"

enum { ET_CLUSTER_SAMPLES = 20, ET_CLUSTER_PAIRS = 10 };

/* far: one per listed sample, those outside the cluster. The run must be whole. */
struct et_cluster_shape et_cluster_shape_of(const struct et_daemon_run *run, const bool *far);
/* Whether the two times of a pair are alike, by the second of these tests: the baseline drifts. */
bool et_cluster_alike(const struct et_daemon_run *run, const bool *far);
/* The standard deviation of elapsed times in the cluster over their median; NaN: too few. */
double et_cluster_spread(const struct et_daemon_run *run, const bool *far);
