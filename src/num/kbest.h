/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The K best of a growing number of times (Bryant & O'Hallaron, Computer Systems, chapter 9): what
 * disturbs a time makes it longer, so the shortest are nearest to the truth, and K of them that
 * agree are not there by chance. No clock here, only numbers.
 */
#ifndef ET_NUM_KBEST_H
#define ET_NUM_KBEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
	ET_KBEST_MOST = 64,    /* the largest K */
	ET_KBEST_EVIDENCE = 8, /* so many are kept at least: the error is judged by them */
};

struct et_kbest_set {
	size_t k;
	size_t n;    /* values seen */
	size_t kept; /* of which the shortest so many are below, in order */
	double value[ET_KBEST_MOST];
	double mark[ET_KBEST_MOST]; /* what came with each value */
};

/* k from 1 to ET_KBEST_MOST. */
void et_kbest_set_init(struct et_kbest_set *s, size_t k);
/* Values are finite and not negative. */
void et_kbest_set_add(struct et_kbest_set *s, double value, double mark);
/* (K-th - best) / best; infinite with fewer than K values, or a best of 0 that is not alone. */
double et_kbest_spread(const struct et_kbest_set *s);
bool et_kbest_converged(const struct et_kbest_set *s, double epsilon);
/* How far the last of the evidence is from the best; infinite with less than all of it. */
double et_kbest_reach(const struct et_kbest_set *s);
/*
 * How far the best may be above the floor of the times, relative to it, with the given confidence.
 * Where times have a density above their floor, the distances of the m shortest from it are those
 * of a Poisson process: (t1 - floor) / (tm - floor) is beta(1, m - 1). (de Haan 1981, with an index
 * of 1.) It is judged by the K shortest, and by ET_KBEST_EVIDENCE where K is less. Infinite with
 * fewer than two values.
 */
double et_kbest_error(const struct et_kbest_set *s, double confidence);

#endif
