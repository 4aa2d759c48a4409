/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two-sample Kolmogorov-Smirnov test: have two series the same distribution? */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct et_ks {
	double d; /* largest distance between the two empirical distributions */
	double p;
	bool exact;
};

/* Exact (given the ties) when nx * ny < 10000, as R; asymptotic otherwise. NaN when one is empty.
 */
struct et_ks et_ks_test(const double *x, size_t nx, const double *y, size_t ny);

/* By the limit law; sizes need not be whole, because dependent values count as fewer. */
double et_ks_asymptotic_p(double d, double nx, double ny);
