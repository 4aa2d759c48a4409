/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cutoffs of daemons out of a short and a long run, as EMPv5 and SEDONA find them (Suh, Snodgrass,
 * Kececioglu, Downey, Maier & Yi 2017), steps 4 to 10; step 3 is lshape.h. Pure functions.
 *
 * - Central figures: the maximum and the standard deviation (n - 1) of each daemon over its single
 *   executions in the central cluster; one execution has sd 0. Not over samples, with 0 where it
 *   did not run: a daemon of 1 ms in some samples has the printed sd 0.
 * - Long-running: an execution in an L-sample above max + 2 sd; a daemon that is only in L-samples
 *   counts from 0.
 * - A run's cutoff is the midpoint between the cluster's maximum (0 without one) and the smallest
 *   long-running execution: between what must pass and what must not. In the long run a daemon
 *   that is in the cluster and never long-running has max + 2 sd.
 * - Daemons listed are those that are long-running in one of the runs.
 * - Periodic is a daemon whose long-running executions, continued by their mean distance in both
 *   directions, are met wherever the run was watching: 75 and 634 of 800 samples are 559 apart, and
 *   neither -484 nor 1193 is in the run; 366 and 451 predict 281 and 536, which are not met.
 *   Executions in successive samples count as one (it ran across the border). A prediction is met
 *   within one sample and 5 % of the period, at most a third of it. The short run decides; the long
 *   one where the short one did not see the daemon long-running.
 * - A period is written as a whole number of hours (below one hour: minutes that divide an hour)
 *   when it is that within 1 % and one sample over the number of periods: daemons keep round times,
 *   and what passes between samples makes a period counted in samples come out short.
 * - Task time is 5 % of the period: programs that are shorter meet the daemon in less than one run
 *   of twenty.
 * - Final: with a period the short run's cutoff for programs below the task time and the long run's
 *   above; without one the larger.
 * - A sample is removed when an execution is above its cutoff for certain: by more than half of the
 *   resolution that times were written with. 1 ms written may have been 0.5 ms, so it is not above
 *   a cutoff of 0.5 ms. With whole milliseconds that is the same as rounding the cutoff (halves
 *   upward) and removing what is above.
 */
#ifndef ET_PROTOCOL_DAEMONS_H
#define ET_PROTOCOL_DAEMONS_H

#include "base/error.h"
#include "model/daemon.h"

/* -EINVAL with err filled when a run has too few samples; name names the record in it. */
int et_daemons_analyse(const struct et_daemon_record *r, const char *name,
	struct et_daemon_findings *out, struct et_error *err) ET_CHECK;

#endif
