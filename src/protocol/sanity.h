/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sanity checks over a finished experiment: the two of EMP, and one between them for machines
 * that are slow at times. A sample that fails one is removed from
 * what is judged: it keeps its record and says why. Nothing is deleted; with --keep-all samples are
 * marked and count all the same.
 *
 * 1. A daemon used more CPU time than its cutoff while the sample ran: daemon-cutoff. The cutoffs
 *    hold for programs up to twice as long as the samples they were learned with; longer ones meet
 *    more of every daemon in the ordinary way.
 * 2. The machine was slow just then: machine-slow. The evidence is not the sample's own time but
 *    the fixed loop before and after it (measure/probe.h), if the slower of the two readings is
 *    more than a tenth above the fast level, the first decile of all readings of the experiment;
 *    or time that the hypervisor stole, if more than a twentieth of the elapsed time beyond one
 *    tick is certain. A tenth: on a quiet machine readings agree within some 2 %, and a neighbour
 *    on the other hardware thread makes them half as long again to twice as long; between the two
 *    there is next to nothing (doc/probe.md). A tick: that is how coarsely steal is told.
 *    Where more than half of a command's samples are slow, that is the rule on this machine and
 *    not a disturbance: they are marked and all are kept; likewise where fewer than 5 would be
 *    left to speak of. At least 10 readings: of fewer, the
 *    decile is the least. Runs alone only: duets and paced runs carry their own reference along.
 * 3. CPU time outside of mean ± 2 sd of the rest, that is of the samples that the others left:
 *    two-sigma. One pass. Runs alone only: a duet is judged by the ratio within the pair, in which
 *    what slows both down cancels. At least 10 samples: of fewer, the sd itself is off by more than
 *    a quarter (1 / sqrt(2 (n - 1))), and of five none can be that far off at all.
 *
 * Half of a pair that is removed takes the other half along: pairs are made of samples that both
 * count (stats/contrast.h).
 */
#ifndef ET_PROTOCOL_SANITY_H
#define ET_PROTOCOL_SANITY_H

#include "model/daemon.h"
#include "model/experiment.h"

enum { ET_TWO_SIGMA_LEAST = 10, ET_PROBE_LEAST = 10, ET_SPEED_LEAVES = 5 };

#define ET_PROBE_LIMIT 1.10  /* times the fast level */
#define ET_STEAL_LIMIT 0.05  /* of elapsed time */
#define ET_STEAL_TICK_NS 1e7 /* steal is told in units of 10 ms */

/* May these cutoffs judge programs of that length? */
bool et_cutoffs_fit(const struct et_cutoffs *c, double seconds);

/*
 * Judges all samples anew, whatever an earlier call found; cutoffs may be NULL. Returns the
 * samples that changed, *n of them, to be recorded; caller frees.
 */
struct et_sample **et_sanity_check(
	struct et_experiment *e, const struct et_cutoffs *cutoffs, size_t *n);

/* The fast level of the probe in nanoseconds; NaN with fewer than ET_PROBE_LEAST readings. */
double et_probe_fast_ns(const struct et_experiment *e);

/* The median elapsed time of what counts, in seconds; NaN without any. */
double et_command_seconds(const struct et_command *c);

#endif
