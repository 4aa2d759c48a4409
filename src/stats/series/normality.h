/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Could the data be normal? Shapiro & Wilk's W, by Royston's algorithm AS R94 (1995). */
#pragma once

#include <stddef.h>

enum { ET_SHAPIRO_LEAST = 3, ET_SHAPIRO_MOST = 5000 };

/* The level of this and of the other checks of assumptions (Nogueira & Matias). */
#define ET_CHECK_ALPHA 0.05

struct et_normality {
	double w, p;
	size_t n_used; /* of more than 5000 values, 5000 chosen at random (always the same) are
			  tested */
};

/* NaN for fewer than 3 values or a constant series. */
struct et_normality et_shapiro_wilk(const double *x, size_t n);
