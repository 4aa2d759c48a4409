/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probability laws of simulated times, with the true values that an interval should contain. */
#ifndef ET_LAB_LAW_H
#define ET_LAB_LAW_H

#include "num/rng.h"

#include <stdbool.h>

enum et_law_kind {
	ET_LAW_NORMAL,
	ET_LAW_LOGNORMAL,   /* parameter: sigma of the logarithm; shifted */
	ET_LAW_EXPONENTIAL, /* shifted */
	ET_LAW_MIXTURE,     /* two normal laws of sd 1; parameter: share of the farther one */
	ET_LAW_AR1,         /* normal; parameter: correlation of neighbours */
};

struct et_law {
	const char *name; /* as users type it */
	const char *title;
	enum et_law_kind kind;
	double parameter;
	double at, far; /* location; location of a mixture's second part */
	bool nist;      /* a mixture by which NIST judged intervals for an sd; n is 1000 there */
};

/* Ends with a NULL name. */
extern const struct et_law et_laws[];
const struct et_law *et_law_find(const char *name); /* NULL if unknown */

/* Draws n values in order of time, from the stationary law. */
void et_law_draw(const struct et_law *law, struct et_rng *rng, double *x, size_t n);
double et_law_mean(const struct et_law *law);
double et_law_median(const struct et_law *law);
double et_law_sd(const struct et_law *law);

#endif
