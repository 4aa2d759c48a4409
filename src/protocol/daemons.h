/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the cutoffs of daemons from a short and a long run, as EMPv5 and SEDONA do (Suh, Snodgrass,
 * Kececioglu, Downey, Maier & Yi 2017), steps 4 to 10; lshape.h is step 3. Pure functions. The
 * rules are in etalon-daemons(1): time of a daemon to final cutoffs. These are the reasons for
 * them:
 *
 * - Samples in which a daemon did not run do not count as 0 for its standard deviation (n - 1): the
 *   papers print sd 0 for a daemon that took 1 ms in some samples only.
 * - The floor: snapshots read the clocks of all processes one after the other, and a process may
 *   have used the time that this takes outside the sample; 300 processes take 0.1 ms, which is
 *   assumed if it was not measured. The time of a process that ended may be too small by a tick,
 *   which does not raise the floor: it hides executions and invents none. A script may start
 *   hundreds of processes below the floor, so those of one name are added up within a sample.
 * - Long-running: a longer sample meets more of every daemon, hence the factor by which it took
 *   longer, which is at most 1.3 in the papers and makes no difference there.
 * - Periods: samples 75 and 634 of 800 are 559 apart, and neither -484 nor 1193 is in the run, so
 *   the daemon is periodic; 366 and 451 predict 281 and 536, where it did not run, so it is not. A
 *   prediction is fulfilled within one sample and 5 % of the period, but at most a third of it. The
 *   short run decides, or the long run if the daemon was not long-running in the short one. Daemons
 *   run at round times, and a period counted in samples is too short by the time between samples.
 * - A daemon without a period that is long-running in both runs does not occur in the papers. It
 *   has two cutoffs, because a visit of 35 s cannot use more than a second of a sample that takes
 *   one, and the cutoff by longer samples would never remove it.
 * - Removal by more than half of the resolution: a recorded 2 ms may have been 1.5 ms. For whole
 *   milliseconds this is the same as rounding the cutoff (halves up).
 */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"
#include "model/sample/daemon.h"

/* Adds up the executions below the floor in r, too. -EINVAL if a run has too few samples. */
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
