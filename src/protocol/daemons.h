/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the cutoffs of daemons from a short and a long run, as EMPv5 and SEDONA do (Suh, Snodgrass,
 * Kececioglu, Downey, Maier & Yi 2017), steps 4 to 10; lshape.h is step 3. Pure functions.
 *
 * - Central figures: the maximum and the standard deviation (n - 1) of each daemon over its single
 *   executions in the central cluster; one execution has sd 0. Samples in which it did not run do
 *   not count as 0: the papers print sd 0 for a daemon that took 1 ms in some samples only.
 * - The floor is the shortest execution that the instrument can resolve. It is 1 ms for times in
 *   whole milliseconds, as in the papers. For others it is the time that the snapshots before and
 *   after a sample take, as `daemons learn` measures it: they read the clocks of all processes one
 *   after the other, and a process may have used that much outside the sample. A record that does
 *   not have it gets 0.1 ms, which is what 300 processes take at 0.3 µs each. An execution below
 *   the floor is not long-running, and no cutoff is below it. The time of a process that ended may
 *   be too small by a tick, which does not raise the floor: it hides executions and invents none.
 *   A script may start hundreds of processes that are below the floor each. Executions of one name
 *   below the floor are therefore added up within a sample; from the floor on they are single
 *   ones, as in the papers.
 * - If the ledger recorded it, "execution" means the time that the daemon had the program's CPU,
 *   not its CPU time: a daemon that ran on another CPU did no harm, and its long visit there would
 *   become the maximum of the cluster.
 * - Long-running: an execution in an L-sample above max + 2 sd, times the factor by which the
 *   sample took longer than the median: a longer sample meets more of every daemon. (The factor is
 *   at most 1.3 in the papers and makes no difference there.) A daemon that is only in L-samples
 *   counts from the floor. A frequent daemon has no long-running executions, and an L-sample that
 *   daemons do not explain (lshape.h) has none.
 * - Whether the cluster is symmetric is in lshape.h.
 * - A run's cutoff is the midpoint between the cluster's maximum (0 without one) and the smallest
 *   long-running execution. In the long run, a daemon that is in the cluster and never long-running
 *   has the cutoff max + 2 sd.
 * - The result lists the daemons that are long-running in at least one of the runs.
 * - A daemon is periodic if the sequence of its long-running executions, continued by their mean
 *   distance in both directions, was observed wherever samples were taken. For example, samples 75
 *   and 634 of 800 are 559 apart, and neither -484 nor 1193 is in the run, so the daemon is
 *   periodic; 366 and 451 predict 281 and 536, where it did not run, so it is not. Executions in
 *   successive samples are one visit, which counts once, from its first sample. A prediction is
 *   fulfilled within one sample and 5 % of the period, but at most a third of it. The short run
 *   decides, or the long run if the daemon was not long-running in the short one.
 * - A period is rounded to a whole number of hours (below one hour: to minutes that divide an hour)
 *   if it agrees with that within 1 % plus one sample over the number of periods. Daemons run at
 *   round times, and a period counted in samples is too short by the time between samples.
 * - Task time is 5 % of the period: a shorter program meets the daemon in less than one run of
 *   twenty.
 * - Final cutoff: with a period, the short run's for programs below the task time and the long
 *   run's above it; without a period, the larger of the two. A daemon without a period that is
 *   long-running in both runs does not occur in the papers. It has two cutoffs as well, with the
 *   geometric mean of the two lengths of samples in place of the task time: a visit of 35 s cannot
 *   use more than a second of a sample that takes one, and the cutoff by longer samples would never
 *   remove it.
 * - A sample is removed if an execution is certainly above its cutoff, that is by more than half of
 *   the resolution of the recorded times: a recorded 2 ms may have been 1.5 ms, so it is not above
 *   a cutoff of 1.5 ms. For whole milliseconds this is the same as rounding the cutoff (halves up)
 *   and removing what is above it.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"
#include "model/sample/daemon.h"

/*
 * Adds up the executions below the floor in r, too.
 * -EINVAL with err filled if a run has too few samples; `name` names the record in the error.
 */
int et_daemons_analyse(struct et_daemon_record *r, const char *name, struct et_daemon_findings *out,
	struct et_error *err) ET_CHECK;

/* True for a solo run with known times that did not fail, warm-up excluded. */
bool et_sample_usable_for_daemons(const struct et_sample *s);
/*
 * Fills the daemon run with the usable samples of the command, in order. Start times are those of
 * the wall clock, so that a resumed experiment shows its pauses. Samples are numbered from 1 in the
 * order in which the runs of the whole experiment were executed: two samples with another run
 * between them, of another command or a failed one, are not successive and never a pair. Call
 * et_daemon_record_settle() when all runs of the record are filled.
 */
void et_daemon_run_fill(
	struct et_daemon_record *r, struct et_daemon_run *run, const struct et_command *c);

/*
 * Joins samples, given by their ascending places in run->listed, to visits: successive samples are
 * one. Fills `starts` (room for n) with the start of the first sample of each visit, and returns
 * the number of visits. A place may occur several times.
 */
size_t et_visits(const struct et_daemon_run *run, const size_t *places, size_t n, double *starts);
/*
 * Returns the period in seconds of n visits of a daemon, which began with the samples that started
 * at these times (ascending); NaN if it is not periodic by the rule above.
 */
double et_period_find(const struct et_daemon_run *run, const double *starts, size_t n);
/* Rounds a period as the rule above states it, or returns it as it is; off_s is its uncertainty. */
double et_period_round(double period_s, double off_s);
