/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the dual-execution scatter plot (EMP; SEDONA, step 3) without a person. The rules are in
 * etalon-daemons(1): central cluster, drift, frequent, symmetry. These are the reasons for them:
 *
 * - On a steady machine, whether a sample is on an arm depends on its own time alone, not on its
 *   partner. The samples are therefore judged one by one, also the last one of an odd number.
 * - Values that were rounded to the same step (whole milliseconds) are spread evenly over the step,
 *   so that ties make neither gaps nor distances of zero. A mean excess is at least one step and a
 *   millionth of the median.
 * - Spacings of an exponential tail are exponential (Rényi 1953). Normal noise has a lighter tail.
 *   Skewed noise (log-normal, gamma) is nearly exponential over the end of its tail, which is why
 *   only the end is used: the largest sqrt(i) of the i values below the gap, at least 3. A
 * symmetric measure such as the standard deviation would cut skewed noise apart.
 * - Two kinds of evidence need less of each: the gap of 1/50 with a daemon to blame. This holds for
 *   elapsed time only, which grows by about the time of the daemon. CPU time grows by a small part
 *   of it (by 0.24 s in the papers' visit of 35 s), so any process would account for it.
 * - A daemon with visits less than 20 samples apart has a task time (daemons.h) below the length of
 *   a sample: 5 % is where it becomes a part of the machine. Independent visits at that rate meet
 *   in both samples of one of the papers' 400 pairs, which is where they would have seen it. The
 *   quarters of the run separate it from one that comes many times within a short while, such as
 *   an upgrade of packages, and make four visits the least: from fewer the rate is not known within
 *   a factor of two. A run with a daemon in more than a quarter of its samples was watched for less
 *   than four times as long as the daemon ran, which is no evidence that it is rare.
 * - The distance of a sample from the median is divided among the daemons to blame. If they account
 *   for less than half of it, one unnamed daemon is to blame for the rest, the same in all samples;
 *   it may be frequent as well. An L-sample that it explains (a virtual machine that was not
 *   scheduled) says nothing about processes that happened to run in it. The papers blame those, but
 *   their L-samples are all explained.
 * - A cluster of fewer than 40 samples does not show what a process normally takes. A process
 *   without a name ("?") may be another one in each sample, so it is never to blame.
 * - A drifting baseline hides a visit among the times of all samples, but the two times of a pair
 *   share it. A difference within a pair that no daemon explains may be the jump itself.
 *
 * Executions below the floor (daemons.h) are not looked at. On a machine with so much noise that
 * its tail reaches as far as the daemon, there is no gap and nothing is found; the cluster is then
 * skewed or stretched, which the tests below report.
 */
#pragma once

#include "model/sample/daemon.h"

/* With fewer samples there is no tail to compare a gap with. */
enum { ET_LSHAPE_LEAST = 10 };
/* With fewer, that a process is in no sample of the cluster may be chance. */
enum { ET_LSHAPE_MANY = 40 };

/*
 * Finds the L-samples of a run, which must be whole and have at least ET_LSHAPE_LEAST samples.
 * Executions below floor_ms are not long-running. Fills far, n_far, explained, frequent, spoils,
 * by_pairs, unexplained and common.
 */
void et_lshape_find(const struct et_daemon_record *r, const struct et_daemon_run *run,
	double floor_ms, struct et_run_findings *out);

/*
 * Returns where the cluster of n values (in any order) ends, by a gap of the given probability;
 * infinity if there is no such gap. step is the step that the values are rounded to, 0: not
 * rounded.
 */
double et_lshape_bound(const double *values, size_t n, double step, double probability);

/*
 * Returns the figures of each daemon, one per name, over the samples that are not excluded by
 * `out`. A daemon that did not run has max_ms NaN. The caller frees the array.
 */
struct et_central *et_central_figures(
	const struct et_daemon_run *run, size_t n_names, const bool *out);
/* A run that is looked at; usual_ms is the median elapsed time, NaN: not known. */
struct et_daemon_look {
	const struct et_daemon_record *r;
	const struct et_daemon_run *run;
	double floor_ms, usual_ms;
};

/* Whether it is longer than max + 2 sd in the cluster; NULL: the daemon is not in the cluster. */
bool et_is_long_running(const struct et_daemon_look *l, const struct et_central *central,
	const struct et_daemon_sample *w, const struct et_execution *x);

/*
 * Tests whether the central cluster is symmetric, which the papers look at: about its centre by the
 * triples test (num/rank.h), whose p is that of Student's t with n/6 degrees of freedom, which fits
 * simulations of 20 to 300 normal, uniform and long-tailed values at 0.5 %; and about the diagonal
 * by Spearman's rank correlation. Each is significant at 0.5 % (Bonferroni: both at 1 %).
 */
enum { ET_CLUSTER_SAMPLES = 20, ET_CLUSTER_PAIRS = 10 };

/* far: one per listed sample, those outside the cluster. The run must be whole. */
struct et_cluster_shape et_cluster_shape_of(const struct et_daemon_run *run, const bool *far);
/* The standard deviation of elapsed times in the cluster over their median; NaN: too few. */
double et_cluster_spread(const struct et_daemon_run *run, const bool *far);
