/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The K shortest of a growing number of times (Bryant & O'Hallaron, Computer Systems, chapter 9):
 * disturbances make times longer, so the shortest are nearest to the truth, and K of them are
 * unlikely to agree by chance. This knows numbers only, no clock.
 */
#ifndef ET_NUM_KBEST_H
#define ET_NUM_KBEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
	ET_KBEST_MOST = 64,    /* the largest K */
	ET_KBEST_EVIDENCE = 8, /* the least number kept, from which the error is predicted */
};

struct et_kbest_set {
	size_t k;
	size_t n;    /* values seen */
	size_t kept; /* the number of shortest values that are kept, in ascending order */
	double value[ET_KBEST_MOST];
	double mark[ET_KBEST_MOST]; /* a figure that the caller gave with each value */
};

/* k from 1 to ET_KBEST_MOST. */
void et_kbest_set_init(struct et_kbest_set *s, size_t k);
/* Values are finite and not negative. */
void et_kbest_set_add(struct et_kbest_set *s, double value, double mark);
/* (K-th - best) / best; infinite with fewer than K values, or if best is 0 and the K-th not. */
double et_kbest_spread(const struct et_kbest_set *s);
bool et_kbest_converged(const struct et_kbest_set *s, double epsilon);
/* Distance of the longest kept value from the best; infinite until all places are filled. */
double et_kbest_reach(const struct et_kbest_set *s);
/*
 * Upper bound, with the given confidence, for the relative distance of the best from the infimum of
 * the times. If times have a density just above their infimum, the distances of the m shortest from
 * it are those of a Poisson process, so (t1 - infimum) / (tm - infimum) is beta(1, m - 1) (de Haan
 * 1981, with an index of 1). All kept values are used. Infinite with fewer than two values.
 */
double et_kbest_error(const struct et_kbest_set *s, double confidence);

#endif
