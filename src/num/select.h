/* SPDX-License-Identifier: MIT */
/* Finds order statistics of an array faster than by sorting it. */
#pragma once

#include <stddef.h>

/*
 * Reorders x so that, for each k in ranks, x[k] is the value that sorting would put there; no value
 * before it is larger and none after it is smaller. Ranks count from 0, ascend, and are below n.
 */
void et_select(double *x, size_t n, const size_t *ranks, size_t n_ranks);
