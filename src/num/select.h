/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some order statistics of an array that is not sorted, for less than sorting it. */
#ifndef ET_NUM_SELECT_H
#define ET_NUM_SELECT_H

#include <stddef.h>

/*
 * Afterwards x[k] is what it would be in order, for each k of ranks (from 0, ascending, all below
 * n); the rest lies on the proper side of each. Neighbouring ranks cost next to nothing more.
 */
void et_select(double *x, size_t n, const size_t *ranks, size_t n_ranks);

#endif
