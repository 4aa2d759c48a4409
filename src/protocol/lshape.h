/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the dual-execution scatter plot (EMP; SEDONA, step 3) without a person. Each pair of
 * successive samples, 1 and 2, 3 and 4 and so on, is a point: x is the time of the first sample, y
 * that of the second. Undisturbed pairs form a cluster at the bottom left. An infrequent,
 * long-running daemon disturbs one sample of a pair and not the other, so its points form two arms,
 * an L. A frequent daemon comes so often that it also disturbs both samples of a pair, each by a
 * visit of its own, so some of its points are in the top right corner; it is part of the machine
 * and stays in the cluster.
 *
 * On a steady machine, whether a sample is on an arm depends on its own time alone, not on its
 * partner. The samples are therefore judged one by one, also the last one of an odd number; 9. is
 * for machines that are not steady.
 *
 * The rule, for elapsed and CPU time each:
 *
 * 1. Values that were rounded to the same step (whole milliseconds) are spread evenly over the step
 *    in ascending order, so that ties make neither gaps nor distances of zero.
 * 2. From the median upward, the cluster ends before the first gap that its own tail does not
 *    explain. The tail is the largest sqrt(i) of the i values below the gap (at least 3). Its scale
 *    is their mean excess over the next smaller value, but at least one rounding step and a
 *    millionth of the median. If the tail is exponential, a gap of r times the mean excess of k
 *    values has the probability (1 + r/k)^-k (spacings are exponential: Rényi 1953). Normal noise
 *    has a lighter tail. Skewed noise (log-normal, gamma) is nearly exponential over the end of its
 *    tail, which is why only the end is used. A symmetric measure such as the standard deviation
 *    would cut skewed noise apart.
 * 3. A sample beyond a gap of probability 1/10000 is an L-sample. Beyond a gap of 1/50 in elapsed
 *    time it is one if a daemon is to blame: executions longer than that daemon's max + 2 sd in the
 *    cluster, or of a daemon that is not in the cluster, account for at least half of the sample's
 *    distance from the median. Two kinds of evidence need less of each. This holds for elapsed time
 *    only, which grows by about the time of the daemon. CPU time grows by a small part of it (by
 *    0.24 s in the papers' visit of 35 s), so that the time of any process would account for it.
 * 4. Successive samples with executions of a daemon that is to blame are one visit of it, however
 *    many they are: a process that runs for 35 s comes once, also if the samples take 1 s. A daemon
 *    is frequent if its visits are more than 5 % of the samples and begin in every quarter of the
 *    run. 5 % is the limit of the papers: a daemon with visits less than 20 samples apart has a
 *    task time (5 % of its period, see daemons.h) below the length of a sample, and it counts as
 *    part of the machine for such programs. Independent visits at that rate meet in both samples
 *    of one of the papers' 400 pairs (400 * 0.05^2), which is where they would have seen it. The
 *    quarters separate a daemon that comes all the time from one that comes many times within a
 *    short while, such as an upgrade of packages. They also make four visits the least: from fewer
 *    the rate is not known within a factor of two.
 * 5. A daemon in more than a quarter of all samples is frequent as well, also if this is one visit.
 *    The run was then watched for less than four times as long as the daemon ran, which is no
 *    evidence that it is rare; and the cluster would be made of a part of the machine's time.
 * 6. The distance of a sample from the median is divided among the daemons to blame, by their
 *    times. The part of frequent daemons does not count; a sample that would not be an L-sample
 *    without it belongs to the cluster. If executions account for less than half of a distance, one
 *    unnamed daemon is to blame for the rest, the same in all samples; it may be frequent as well.
 *    An L-sample that the unnamed daemon explains (a virtual machine that was not scheduled, for
 *    example) says nothing about processes that happened to run in it. The papers blame those as
 *    well; their L-samples are all explained.
 * 7. Every sample that a visit touched is an L-sample, also the one in which it began or ended and
 *    which has too little of it to leave the cluster: a sample of the cluster that is successive to
 *    an L-sample, if the same daemon is above max + 2 sd of all other samples of the cluster in it.
 * 8. A run of fewer than 40 samples has too small a cluster to conclude from it what a process
 *    normally takes, or that it never runs beside undisturbed samples. A daemon must then account
 *    for a tenth of the distance of its sample, beyond a gap of 1/200. A process without a name
 * ("?") is never to blame: it is not known whether it is the same one in two samples.
 * 9. Where the baseline drifts or jumps, a visit is hidden among the times of all samples. The two
 *    times of a pair have the same baseline. If the two times of all pairs are alike (see below),
 *    the difference within each pair is judged like elapsed time, by a gap of 1/200 with a daemon
 *    to blame; a difference that no daemon explains may be the jump itself and is ignored. Elapsed
 *    time itself then needs the gap of 1/10000 with a daemon to blame, too, and a gap with more
 *    than a quarter of the samples above it is a jump and ends nothing.
 *
 * Executions below the floor (daemons.h) are not looked at. On a machine with so much noise that
 * its tail reaches as far as the daemon, there is no gap and nothing is found; the cluster is then
 * skewed or stretched, which the tests below report.
 */
#pragma once

#include "model/sample/daemon.h"

/* With fewer samples there is no tail to compare a gap with. */
enum { ET_LSHAPE_LEAST = 10 };
/* With fewer, that a process is in no sample of the cluster may be chance (8.). */
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

/*
 * True if the execution is longer than max + 2 sd in the cluster, and not below the floor. A sample
 * that takes longer than usual normally meets that much more of each daemon. In a run of few
 * samples, an execution that is too small a part of its sample's distance from the median is not
 * to blame. `central` may be NULL: the daemon is not in the cluster.
 */
bool et_is_long_running(const struct et_daemon_look *l, const struct et_central *central,
	const struct et_daemon_sample *w, const struct et_execution *x);

/*
 * Whether the central cluster of the dual-execution scatter plot is symmetric (EMP, step 3; SEDONA,
 * step 4). The papers look at it; here it is tested, by elapsed time:
 *
 * - about its centre: the samples of the cluster by the triples test (num/rank.h). The p is that
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
enum { ET_CLUSTER_SAMPLES = 20, ET_CLUSTER_PAIRS = 10 };

/* far: one per listed sample, those outside the cluster. The run must be whole. */
struct et_cluster_shape et_cluster_shape_of(const struct et_daemon_run *run, const bool *far);
/* The standard deviation of elapsed times in the cluster over their median; NaN: too few. */
double et_cluster_spread(const struct et_daemon_run *run, const bool *far);
