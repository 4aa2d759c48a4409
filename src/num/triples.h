/* SPDX-License-Identifier: MIT */
/*
 * The triples test of symmetry about an unknown centre (R. H. Randles, M. A. Fligner, G. E.
 * Policello, D. A. Wolfe, J. Am. Stat. Assoc. 75, 168, 1980). Unlike the test by the third moment
 * it does not assume normal tails: a few far values on both sides do not look like skewness.
 */
#pragma once

#include <stddef.h>

struct et_triples {
	double z; /* a normal deviate, positive for a long tail to the right */
	double p; /* two-sided */
};

/*
 * Both figures are NaN for fewer than three values, or if all triples are alike. Of more than 1000
 * values, every k-th in sorted order is tested, because the time is quadratic.
 */
struct et_triples et_triples_test(const double *x, size_t n);
