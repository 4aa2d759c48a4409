/* SPDX-License-Identifier: MIT */
/* Several tests or intervals at once: Holm's adjustment of p-values and Sidak's levels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Holm (1979): adjusted (may be p) <= alpha exactly where he rejects. NaN stays, uncounted. */
void et_holm(const double *p, size_t n, double *adjusted);
/*
 * The same as published: the j-th smallest of k p-values is compared with alpha / (k - j + 1), up
 * to the first one above. levels[i] is the level that p[i] is compared with, NaN for a NaN.
 */
void et_holm_steps(const double *p, size_t n, double alpha, double *levels, bool *rejected);
/* Sidak (1967): the level of each of m intervals that together cover with `level`. */
double et_sidak_level(double level, double m);
