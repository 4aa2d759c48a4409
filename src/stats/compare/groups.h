/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests over more than two series: do their means, ranks or spreads differ, and which pairs do?
 * `compare` calls them for three or more series; the analysis of designed experiments will, too.
 */
#pragma once

#include "stats/series/interval.h"

struct et_group {
	const double *x;
	size_t n;
};

struct et_anova {
	double f, df1, df2, p;
	double ss_between, ss_within; /* NaN for Welch's */
};

/* One-way analysis of variance (Fisher 1925): equal spreads supposed. Groups may be unequal. */
struct et_anova et_anova(const struct et_group *groups, size_t k);
/* Without that supposition (Welch 1951); every group needs 2 values and some spread. */
struct et_anova et_anova_welch(const struct et_group *groups, size_t k);
/* By ranks (Kruskal & Wallis 1952), chi-square approximation with tie correction. */
struct et_test et_kruskal_wallis(const struct et_group *groups, size_t k);
/* Equal variances? (Bartlett 1937); for normal data only. */
struct et_test et_bartlett(const struct et_group *groups, size_t k);
