/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual-execution scatter plot read by machine (EMP, SEDONA: step 3). Each pair of successive
 * samples is a point, the first sample's time to the right, the second's upward. Undisturbed pairs
 * gather in a cluster at the bottom left. A daemon that runs seldom and long meets one half of a
 * pair, not the other: its points lie on two arms, an L. One that runs often meets both halves:
 * the top right corner; it belongs to the machine and stays in the cluster.
 *
 * A sample lies on an arm whatever its partner, if its own time is outside of the cluster. So
 * the samples are judged one by one, an odd one is as good as the rest, and the pairs decide who is
 * frequent.
 *
 * The rule, for elapsed and CPU time each:
 *
 * 1. In ascending order, values of one rounding step (whole milliseconds) are spread evenly over
 *    it, so that ties are no gaps and no zero distances.
 * 2. From the median upward, the cluster ends before the first gap that its own tail does not
 *    explain. The tail is the uppermost sqrt(i) of the i values below the gap (3 at least); their
 *    mean excess over the value below them measures it, at least one rounding step and a millionth
 *    of the median. Were the tail exponential, a gap of r times the mean excess of k values had the
 *    probability (1 + r/k)^-k (spacings are exponential: Rényi 1953). Normal noise has a lighter
 *    tail; skewed noise (log-normal, gamma) bends little over so short a piece, which is why the
 *    piece is taken at the end of the tail and not the whole of it. Symmetric measures such as the
 *    standard deviation would cut skewed noise apart.
 * 3. Beyond a gap of probability 1/10000 a sample is an L-sample. Beyond one of 1/50 it is if a
 *    daemon is to blame: executions longer than max + 2 sd of that daemon in the cluster, or of one
 *    that is not in the cluster at all, that make at least half of the sample's distance from the
 *    median. Two kinds of evidence need less of each.
 * 4. A daemon to blame is frequent when two pairs or more show it in both halves and either these
 *    are at least half of its appearances, or it is in more than 5 % of the samples (the papers'
 *    share, see daemons.h); or when it is in more than a quarter of all. Samples that only
 *    frequent daemons explain are of the cluster. The same holds for samples that nobody explains.
 */
#ifndef ET_PROTOCOL_LSHAPE_H
#define ET_PROTOCOL_LSHAPE_H

#include "model/daemon.h"

/* Fewer samples show no L: there would be no tail to compare a gap with. */
enum { ET_LSHAPE_LEAST = 10 };

struct et_lshape {
	bool *far; /* one a listed sample: it is an L-sample */
	size_t n_far;
	bool *frequent; /* one a name */
};

/* The run must be whole and have at least ET_LSHAPE_LEAST samples. */
void et_lshape_find(
	const struct et_daemon_record *r, const struct et_daemon_run *run, struct et_lshape *out);
void et_lshape_free(struct et_lshape *l);

/*
 * Where the cluster ends: n values (in any order) rounded to step (0: not at all), a gap of that
 * probability. Infinity when there is none.
 */
double et_lshape_bound(const double *values, size_t n, double step, double probability);

/*
 * Figures of each daemon over the samples that are not in out (NULL: over all), one a name; a
 * daemon that is not there has max_ms NaN. Caller frees.
 */
struct et_central *et_central_figures(
	const struct et_daemon_run *run, size_t n_names, const bool *out);
/* Is the execution longer than the cluster allows? */
bool et_is_long_running(const struct et_central *central, double ms);

#endif
