/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two sanity checks of EMP over a finished experiment. A sample that fails one is removed from
 * what is judged: it keeps its record and says why. Nothing is deleted; with --keep-all samples are
 * marked and count all the same.
 *
 * 1. A daemon used more CPU time than its cutoff while the sample ran: daemon-cutoff. The cutoffs
 *    hold for programs up to twice as long as the samples they were learned with; longer ones meet
 *    more of every daemon in the ordinary way.
 * 2. Process time outside of mean ± 2 sd of the rest, that is of the samples that check 1 left:
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

enum { ET_TWO_SIGMA_LEAST = 10 };

/* May these cutoffs judge programs of that length? */
bool et_cutoffs_fit(const struct et_cutoffs *c, double seconds);

/*
 * Judges all samples anew, whatever an earlier call found; cutoffs may be NULL. Returns the
 * samples that changed, *n of them, to be recorded; caller frees.
 */
struct et_sample **et_sanity_check(
	struct et_experiment *e, const struct et_cutoffs *cutoffs, size_t *n);

/* The median elapsed time of what counts, in seconds; NaN without any. */
double et_command_seconds(const struct et_command *c);

#endif
