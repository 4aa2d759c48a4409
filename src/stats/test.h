/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every test of a hypothesis answers with. p is two-sided unless said otherwise. */
#ifndef ET_STATS_TEST_H
#define ET_STATS_TEST_H

struct et_test {
	double statistic, df, p; /* NaN where undefined */
};

/* A test that also estimates: the effect and its interval at the level asked for. */
struct et_interval_test {
	double statistic, df, p;
	double estimate, lo, hi;
};

#endif
