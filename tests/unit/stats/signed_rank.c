/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wilcoxon's signed-rank test against R 4.2: wilcox.test(d, conf.int = TRUE). */
#include "stats/signed_rank.h"
#include "base/attr.h"
#include "tap.h"

int main(void)
{
	static const double d[] = { 1.1, -0.3, 2.4, 0.7, 1.9, -1.2, 3.3, 0.45 };
	static const double tied[] = { 1, 2, 2, -1, 3, 0, 4, -2, 5, 0 };
	static const double few[] = { 1, 2, 3 };
	struct et_signed_rank t = et_signed_rank_test(d, ET_LENGTH(d), 0.95);

	near(t.v, 30, 0, 0, "V");
	near(t.p, 0.109375, 1e-12, 0, "exact p");
	ok(t.exact && t.n == 8, "exact with 8");
	near(t.estimate, 1.05, 1e-12, 0, "Hodges-Lehmann");
	near(t.lo, -0.3, 1e-12, 0, "lower bound");
	near(t.hi, 2.4, 1e-12, 0, "upper bound");

	t = et_signed_rank_test(tied, ET_LENGTH(tied), 0.95);
	ok(!t.exact && t.n == 8, "ties and zeros: normal approximation, zeros left out");
	near(t.v, 30.5, 0, 0, "V with ties");
	near(t.p, 0.0908887852457271, 1e-9, 0, "p with ties");

	t = et_signed_rank_test(few, 3, 0.95);
	near(t.p, 0.25, 1e-12, 0, "three differences: the smallest p there is");
	ok(isnan(t.lo) && isnan(t.hi), "no interval at 95 %%");
	t = et_signed_rank_test(few, 3, 0.75);
	near(t.lo, 1, 1e-12, 0, "at 75 %% it is the range");
	near(t.hi, 3, 1e-12, 0, "of the Walsh averages");

	t = et_signed_rank_test(few, 0, 0.95);
	ok(isnan(t.p) && isnan(t.estimate), "no differences, no answer");
	return tap_done();
}
