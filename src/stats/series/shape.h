/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of the data, for the warnings: rounded to a step, skewed, with outliers, slow at the
 * start because caches were cold, or drifting from one half to the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct et_discreteness {
	double quantum; /* all values lie whole multiples of it apart; 0 when there is none that
			   matters */
	size_t distinct;
	bool coarse; /* the step is so large that dip and density see it, not the data */
};

struct et_discreteness et_discreteness(const double *sorted, size_t n);

struct et_asymmetry {
	double skewness; /* m3 / m2^(3/2) */
	double z, p;     /* D'Agostino (1970), of a symmetric normal law; NaN below 8 values */
};

struct et_asymmetry et_asymmetry(const double *x, size_t n);

/* Beyond Tukey's (1977) fences. */
struct et_outliers {
	size_t mild;     /* more than 1.5 interquartile ranges outside the quartiles; with severe */
	size_t severe;   /* more than 3 */
	size_t solitary; /* severe, and apart from the rest by more than all the rest spans */
};

struct et_outliers et_outliers(const double *sorted, size_t n);

/* The bound of a modified z-score: Iglewicz & Hoaglin (1993). */
#define ET_COLD_Z 3.5

struct et_drift {
	double first_z;  /* how far the first value lies off, in robust standard deviations */
	bool cold_start; /* the first value is far above the others: caches were cold */
	double shift;    /* second half against the first, Hodges-Lehmann, over the median */
	double p;        /* of no shift (Wilcoxon-Mann-Whitney) */
	bool testable;   /* with fewer than 20 values the test is too weak to exclude a drift */
};

struct et_drift et_drift(const double *x, size_t n);
