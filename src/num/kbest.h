/* SPDX-License-Identifier: MIT */
/*
 * The K shortest of a growing number of times (Bryant & O'Hallaron, Computer Systems, chapter 9).
 * Disturbances make times longer, so the shortest are nearest to the truth, and K of them are
 * unlikely to agree by chance. "Best" means shortest. Nothing here knows about clocks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	ET_KBEST_MOST = 64,    /* the largest K */
	ET_KBEST_EVIDENCE = 8, /* values to keep even if K is smaller: they predict the error */
};

struct et_kbest_set {
	size_t k;
	size_t n;    /* values added */
	size_t kept; /* how many of the best are kept: at most max(K, ET_KBEST_EVIDENCE) */
	double value[ET_KBEST_MOST]; /* ascending */
	double mark[ET_KBEST_MOST];  /* a figure that the caller gave with each value */
};

/* k from 1 to ET_KBEST_MOST. */
void et_kbest_set_init(struct et_kbest_set *s, size_t k);
/* value must be finite and not negative. */
void et_kbest_set_add(struct et_kbest_set *s, double value, double mark);
/* (K-th best - best) / best; infinite with fewer than K values, or if only the best is 0. */
double et_kbest_spread(const struct et_kbest_set *s);
/* Whether the spread is at most epsilon. */
bool et_kbest_converged(const struct et_kbest_set *s, double epsilon);
/* Returns the longest kept value minus the best; infinite until as many are kept as possible. */
double et_kbest_reach(const struct et_kbest_set *s);
/*
 * Returns an upper bound, with the given confidence, for (best - infimum) / best, where the infimum
 * is that of all possible times. If times have a density just above their infimum, the distances of
 * the m shortest from it are those of a Poisson process, so (t1 - infimum) / (tm - infimum) is
 * beta(1, m - 1) (de Haan 1981, with an index of 1). All kept values are used. The bound is
 * infinite with fewer than two values.
 */
double et_kbest_error(const struct et_kbest_set *s, double confidence);
