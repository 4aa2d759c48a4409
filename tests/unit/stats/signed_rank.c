/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wilcoxon's signed-rank test against R 4.2: wilcox.test(d, conf.int = TRUE). */
#include "base/base.h"
#include "stats/compare/paired.h"
#include "tap.h"

int main(void)
{
	static const double d[] = { 1.1, -0.3, 2.4, 0.7, 1.9, -1.2, 3.3, 0.45 };
	static const double tied[] = { 1, 2, 2, -1, 3, 0, 4, -2, 5, 0 };
	static const double few[] = { 1, 2, 3 };
	struct et_interval_test t = et_signed_rank_test(d, ET_LENGTH(d), 0.95);

	near(t.statistic, 30, 0, 0, "distinct: V agrees with R");
	near(t.p, 0.109375, 1e-12, 0, "distinct: the exact p agrees with R");
	ok(t.exact && t.df == 8, "distinct: p is exact for 8 differences");
	near(t.estimate, 1.05, 1e-12, 0, "distinct: the Hodges-Lehmann estimate agrees with R");
	near(t.lo, -0.3, 1e-12, 0, "distinct: the lower bound agrees with R");
	near(t.hi, 2.4, 1e-12, 0, "distinct: the upper bound agrees with R");

	t = et_signed_rank_test(tied, ET_LENGTH(tied), 0.95);
	ok(!t.exact && t.df == 8, "ties: p is approximate, and zeros do not count");
	near(t.statistic, 30.5, 0, 0, "ties: V agrees with R");
	near(t.p, 0.0908887852457271, 1e-9, 0, "ties: p agrees with R");

	t = et_signed_rank_test(few, 3, 0.95);
	near(t.p, 0.25, 1e-12, 0, "three: p is the smallest possible one");
	ok(isnan(t.lo) && isnan(t.hi), "three: there is no interval at 95 %%");
	t = et_signed_rank_test(few, 3, 0.75);
	near(t.lo, 1, 1e-12, 0, "three: the lower bound at 75 %% is the smallest Walsh average");
	near(t.hi, 3, 1e-12, 0, "three: the upper bound at 75 %% is the largest Walsh average");

	t = et_signed_rank_test(few, 0, 0.95);
	ok(isnan(t.p) && isnan(t.estimate), "empty: no differences have neither p nor estimate");
	return tap_done();
}
