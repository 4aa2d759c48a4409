/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds some order statistics of an array in less time than sorting it takes. */
#ifndef ET_NUM_SELECT_H
#define ET_NUM_SELECT_H

#include <stddef.h>

/*
 * Reorders x so that x[k] is the value that it would be after sorting, for each k of ranks (from 0,
 * ascending, all below n), with smaller values before and larger ones after it. Adjacent ranks cost
 * little more than one.
 */
void et_select(double *x, size_t n, const size_t *ranks, size_t n_ranks);

#endif
