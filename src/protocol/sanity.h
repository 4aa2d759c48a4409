/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sanity checks over an experiment, which etalon-run(1) defines: the two of EMP, and a check
 * for a slow machine between them, which EMP does not have. A sample that fails one is removed from
 * the statistics; it stays in the record with the reason. These are the reasons for the rules:
 *
 * - Protocol emp is EMP as published. Protocol cause marks what fails the last check, because
 *   removing values by themselves moves the mean of skewed times and of times with two modes, and
 *   hides that they are so. (At n = 100 the nominal 95 % interval of the mean then covers 70 % for
 *   exponential times and 7 % for two modes of 90 and 10 %.)
 * - daemon-cutoff: a program that is longer than twice the samples of the learning normally meets
 *   more of every daemon. If the cutoffs were learned with the ledger, the time that a daemon had
 *   the program's CPU is judged; CPU time stands in for it in a sample that has no ledger. Cutoffs
 *   below the floor of their learning are ignored. The check is withdrawn for the whole experiment,
 *   or commands of one table would be measured by different rules.
 * - machine-slow: a tenth separates two cases (doc/probe.md): readings on a quiet machine agree
 *   within about 2 %, and a busy hyper-thread sibling makes them 1.5 to 2 times as long. A tick is
 *   the resolution of steal time. With fewer than 10 readings the first decile is the minimum.
 *   Samples are removed from all commands or from none, or the means in one table would be of two
 *   different machines; and only if speed explains the times, because a program that waits for
 *   memory or sleeps may not care. To look at the width of intervals before deciding costs coverage
 *   in principle; tests/slow/speed.c shows that the cost is below 1 %. If they stay,
 *   stats/compare/pace.h tries the probe as a covariate.
 * - two-sigma: one pass, solo runs only: a duet is judged by the ratio within the pair, in which
 *   common disturbances cancel. No value is farther than (n - 1) / sqrt(n) sd from the mean, which
 *   is 1.79 for five, so it needs six.
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
