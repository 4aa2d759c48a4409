/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probability laws of simulated times, with the true values that an interval should contain. */
#pragma once

#include "num/rng.h"

#include <stdbool.h>

enum et_law_kind {
	ET_LAW_NORMAL,
	ET_LAW_LOGNORMAL,   /* shifted by `at`; parameter: sigma of the logarithm */
	ET_LAW_EXPONENTIAL, /* shifted by `at` */
	ET_LAW_PARETO,      /* shifted by `at`; parameter: the index of its tail, above 2 */
	ET_LAW_MIXTURE, /* two normal laws of sd 1, at `at` and `far`; parameter: share at `far` */
	ET_LAW_AR1,     /* normal; parameter: correlation of successive values */
};

struct et_law {
	const char *name; /* as users type it */
	const char *title;
	enum et_law_kind kind;
	double parameter;
	double at, far; /* location of the law, and of the second part of a mixture */
	bool nist;      /* NIST judged intervals for an sd by this mixture, with n = 1000 */
};

extern const struct et_law et_laws[]; /* a name of NULL ends the table */
/* Returns NULL if the name is unknown. */
const struct et_law *et_law_find(const char *name);

/* Draws n successive values. */
void et_law_draw(const struct et_law *law, struct et_rng *rng, double *x, size_t n);
struct et_law_truth {
	double mean, median, sd;
};

struct et_law_truth et_law_truth(const struct et_law *law);
