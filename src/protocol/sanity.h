/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sanity checks over an experiment: the two of EMP, and a check for a slow machine between
 * them, which EMP does not have. A sample that fails one is removed from the statistics; it stays
 * in the record with the reason. Protocol emp is EMP as published: the first and the last check
 * remove samples, and samples of a slow machine are marked. Protocol cause removes samples by the
 * first two checks, and marks those that fail the last, because removing values by themselves moves
 * the mean of skewed times and of times with two modes, and hides that they are so. (At n = 100 the
 * nominal 95 % interval of the mean then covers 70 % for exponential times and 7 % for two modes of
 * 90 and 10 %.) With --keep-all all three mark samples, which still count.
 *
 * 1. daemon-cutoff (EMP's check I): a daemon used more CPU time than its cutoff during the sample.
 *    If the cutoffs were learned with the ledger, this is the time that it had the program's CPU;
 *    CPU time stands in for it in a sample that has no ledger.
 *    The cutoffs are valid for programs up to twice as long as the samples that they were learned
 *    with; a longer program normally meets more of every daemon. Cutoffs below the floor of their
 *    learning are ignored. The check is withdrawn if it would remove more than half of the samples
 *    of a command, or leave fewer than 5 (solo, duet and paced runs are counted apart): cutoffs
 *    that half of the samples exceed do not describe the machine as it is now. It is then withdrawn
 * for the whole experiment, or commands of one table would be measured by different rules; the
 *    samples are marked, and count. et_experiment.first_check has the state of the check.
 * 2. machine-slow: the machine was slow. The evidence is never the sample's own time. It is the
 *    fixed loop before and after the sample (measure/observe/probe.h), if the slower of the two
 * readings is more than 10 % above the fast level, the first decile of all readings of the
 * experiment; or steal time, if more than 5 % of the elapsed time plus one tick were stolen. The 10
 * % separate two cases: readings on a quiet machine agree within about 2 %, and a busy hyper-thread
 * sibling makes them 1.5 to 2 times as long (doc/probe.md). The tick is the resolution of steal
 * time. The check needs 10 readings, because with fewer the decile is the minimum. It applies to
 * solo runs only: duets and paced runs have a reference of their own.
 *
 *    Slow samples are removed from all commands or from none, or the means in one table would be
 *    of two different machines. They are removed only
 *    - if the speed explains the times: the judged times of slow samples are longer than those of
 *      the fast samples of the same command, by Wilcoxon's rank-sum test stratified by command,
 *      one-sided at 1 % (num/rank.h); a program that waits for memory or sleeps may not care;
 *    - if every command that has slow samples keeps at least 5;
 *    - and if that makes no answer less certain: for no command is the interval of the mean of the
 *      judged time (num/mean_interval.h) wider without the slow samples than with them.
 *    Otherwise they are marked and still count, and stats/compare/pace.h tries the probe as a
 * covariate. To look at the width before deciding costs coverage in principle, because narrow
 * intervals are chosen; tests/slow/speed.c shows that the cost is below 1 %.
 * 3. two-sigma (EMP's check II): the judged time is outside mean ± 2 sd of the samples that the
 *    other checks left. One pass. It applies to solo runs only: a duet is judged by the ratio
 *    within the pair, in which common disturbances cancel. It needs 6 samples: no value is farther
 *    than (n - 1) / sqrt(n) sd from the mean, which is 1.79 for five.
 *
 * If one sample of a duet is removed, the other does not count either, because pairs need two
 * samples that count (stats/compare/contrast.h).
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/sample/daemon.h"

enum { ET_TWO_SIGMA_LEAST = 6, ET_PROBE_LEAST = 10, ET_SPEED_LEAVES = 5, ET_CUTOFFS_LEAVE = 5 };

#define ET_PROBE_LIMIT 1.10  /* times the fast level */
#define ET_STEAL_LIMIT 0.05  /* of elapsed time */
#define ET_STEAL_TICK_NS 1e7 /* the kernel reports steal in units of 10 ms */

/* True if the cutoffs are valid for programs of this length. */
bool et_cutoffs_fit(const struct et_cutoffs *c, double seconds);

/* A sample whose ruling changed. */
struct et_changed {
	uint32_t command, at; /* the sample's number among those of the command, from 0 */
};

/* Whether a protocol has checks: K-best and raw have none. */
bool et_protocol_checks(enum et_protocol p);

/*
 * Applies the checks of the experiment's protocol to all samples anew, regardless of earlier calls,
 * and fills first_check; cutoffs may be NULL: nothing was learned. Returns the samples whose ruling
 * changed, *n of them, to be recorded. The caller frees the array.
 */
struct et_changed *et_sanity_check(
	struct et_experiment *e, const struct et_cutoffs *cutoffs, size_t *n);

/*
 * The same after the experiment was given another protocol and metric (of et_metric_options) and
 * --keep-all was taken back: it is judged as if it had been measured by that protocol.
 */
struct et_changed *et_sanity_check_again(struct et_experiment *e, enum et_protocol protocol,
	int metric, const struct et_cutoffs *cutoffs, size_t *n);

/*
 * The rule of the second check: sets outside[i] if x[i] is more than 2 sd from the mean. Returns
 * how many are; none with fewer than ET_TWO_SIGMA_LEAST values.
 */
size_t et_two_sigma(const double *x, size_t n, bool *outside);

/* The fast level of the probe in nanoseconds; NaN with fewer than ET_PROBE_LEAST readings. */
double et_probe_fast_ns(const struct et_experiment *e);

/* The median elapsed time of the samples that count, in seconds; NaN without any. */
double et_command_seconds(const struct et_command *c);
