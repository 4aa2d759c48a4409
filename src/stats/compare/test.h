/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of hypothesis tests. Every p is two-sided; an undefined figure is NaN. */
#pragma once

struct et_test {
	double statistic, df, p;
};

/* A test with an estimate of the effect and its interval at the requested level. */
struct et_interval_test {
	double statistic, p;
	double df, df2; /* df2 is the F test's only */
	double estimate, lo, hi;
};

struct et_interval {
	double lo, hi;
	double level; /* the attained one, which may be above the requested one */
};
