/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of hypotheses answer with. Every p is two-sided; what is undefined is NaN. */
#ifndef ET_STATS_TEST_H
#define ET_STATS_TEST_H

struct et_test {
	double statistic, df, p;
};

/* A test that also estimates: the effect and its interval at the level asked for. */
struct et_interval_test {
	double statistic, p;
	double df, df2; /* df2 is the F test's only */
	double estimate, lo, hi;
};

struct et_interval {
	double lo, hi;
	double level; /* attained, which may be above what was asked for */
};

#endif
