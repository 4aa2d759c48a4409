/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two-sample and paired tests where R refuses to answer; tests/oracle covers the other cases. */
#include "base/base.h"
#include "num/multiple.h"
#include "num/rng.h"
#include "stats/compare/paired.h"
#include "stats/compare/two_sample.h"
#include "stats/series/interval.h"
#include "tap.h"

static const double x[] = { 2.1, 3.7, 1.2, 9.9, 4.4, 5.0, 4.4 };
static const double y[] = { 3.1, 4.7, 2.2, 8.9, 6.4, 7.0, 5.5, 6.1 };
static const double two[] = { 2, 2, 2, 2, 2 }, three[] = { 3, 3, 3, 3, 3, 3 };

static void against_r(void)
{
	struct et_interval_test t = et_t_welch(x, 7, y, 8, 0.95);
	struct et_rank_sum w = et_rank_sum_test(x, 7, y, 8, 0.95);
	struct et_ks ks = et_ks_test(x, 7, y, 8);

	near(t.statistic, -0.848423620043532, 1e-12, 0, "welch: t agrees with R");
	near(t.df, 11.247555842681141, 1e-12, 0, "welch: df agrees with R");
	near(t.p, 0.41389389368610796, 1e-12, 0, "welch: p agrees with R");
	near(t.lo, -3.9523875489637117, 1e-12, 0, "welch: the lower bound agrees with R");
	near(t.hi, 1.7488161203922841, 1e-12, 0, "welch: the upper bound agrees with R");
	near(w.w, 17, 0, 0, "rank-sum: W agrees with R");
	near(w.p, 0.22389911550357022, 1e-12, 0, "rank-sum: p with a tie agrees with R");
	near(ks.d, 27.0 / 56, 1e-15, 0, "ks: D agrees with R");
	near(ks.p, 0.21367521367521469, 1e-12, 0, "ks: the exact p agrees with R");
}

static void far_from_zero(void)
{
	/* The same values with and without an offset that makes the means inexact. */
	double near0[2][12], far[2][12];

	for (int i = 0; i < 12; i++) {
		near0[0][i] = 40 * (i * 7 % 11);
		near0[1][i] = 40 * (i * 5 % 13) + 97;
		far[0][i] = 1e15 + near0[0][i];
		far[1][i] = 1e15 + near0[1][i];
	}
	near(et_t_student(far[0], 12, far[1], 11, 0.95).p,
		et_t_student(near0[0], 12, near0[1], 11, 0.95).p, 1e-12, 0,
		"student: an offset of 1e15 does not change p");
	near(et_t_welch(far[0], 12, far[1], 11, 0.95).p,
		et_t_welch(near0[0], 12, near0[1], 11, 0.95).p, 1e-12, 0,
		"welch: an offset of 1e15 does not change p");
}

static void constants(void)
{
	struct et_rank_sum w = et_rank_sum_test(two, 5, two, 5, 0.95);
	struct et_ks ks = et_ks_test(two, 5, two, 5);

	ok(isnan(et_t_welch(two, 5, three, 6, 0.95).p), "welch: constants have no p");
	ok(isnan(et_t_student(two, 5, two, 5, 0.95).p), "student: equal constants have no p");
	ok(isnan(et_f_test(two, 5, three, 6, 0.95).p), "F: two constants have no p");
	ok(et_f_test(x, 7, two, 5, 0.95).statistic == INFINITY &&
			et_f_test(x, 7, two, 5, 0.95).p == 0,
		"F: the ratio to a constant is infinite, and p is 0");
	ok(isnan(w.p) && w.w == 12.5 && w.delta == 0 && w.shift == 0,
		"rank-sum: if all values are tied, W has no p");
	ok(ks.p == 1 && ks.d == 0, "ks: if all values are tied, D is 0 and p is 1");
	w = et_rank_sum_test(two, 5, three, 6, 0.95);
	ok(isnan(w.lo) && isnan(w.hi) && w.shift == -1 && w.delta == -1,
		"rank-sum: different constants have a shift and no interval");
}

static void too_few(void)
{
	static const double c[] = { 1, 2, 3 }, d[] = { 4, 5, 6 };
	struct et_rank_sum w = et_rank_sum_test(c, 3, d, 3, 0.95);

	near(w.p, 0.1, 1e-12, 0, "rank-sum: three against three have p = 0.1");
	ok(isnan(w.lo), "rank-sum: three against three have no 95 %% interval");
	near(et_rank_sum_test(c, 3, d, 3, 0.9).lo, -5, 0, 0,
		"rank-sum: three against three have a 90 %% interval");
	near(et_rank_sum_test(c, 1, d, 1, 0.95).p, 1, 1e-15, 0,
		"rank-sum: one against one has p = 1");
	ok(isnan(et_rank_sum_test(c, 0, d, 3, 0.95).p) && isnan(et_ks_test(c, 0, d, 3).p) &&
			isnan(et_rank_sum_permutation_p(c, 0, d, 1)),
		"rank-sum and ks: an empty sample has no p");
	near(et_ks_test(c, 1, d, 1).p, 1, 0, 0, "ks: one against one has p = 1");
	near(et_t_student(c, 2, d, 1, 0.95).p, 0.21229561500966, 1e-9, 0,
		"student: two against one have a p");
	ok(isnan(et_t_welch(c, 2, d, 1, 0.95).p) && isnan(et_f_test(c, 1, d, 3, 0.95).p) &&
			isnan(et_t_one_sample(c, 1, 0, 0.95).p),
		"welch, F and one-sample t: a sample of one value has no p");
	ok(isnan(et_shapiro_wilk(c, 2).p) && isnan(et_shapiro_wilk(two, 5).p),
		"shapiro-wilk: two values and a constant have no p");
	near(et_shapiro_wilk((double[]){ 0, 0, 1 }, 3).p, 0, 0, 1e-12,
		"shapiro-wilk: the smallest W of three values has p = 0");
}

static void many(void)
{
	static double big[6000];
	struct et_normality w;
	struct et_rng rng;

	et_rng_seed(&rng, 8, 0);
	for (size_t i = 0; i < 6000; i++)
		big[i] = et_rng_normal(&rng);
	w = et_shapiro_wilk(big, 6000);
	ok(w.n_used == 5000 && w.p > 0.001, "shapiro-wilk: 5000 of 6000 values are used");
	ok(et_shapiro_wilk(big, 6000).p == w.p,
		"shapiro-wilk: the same 5000 values are used each time");
	near(et_ks_test(big, 3000, big + 3000, 3000).p, 0.5, 0, 0.4999,
		"ks: 3000 against 3000 values have an asymptotic p");
	ok(!et_ks_test(big, 100, big + 100, 100).exact && et_ks_test(big, 99, big, 101).exact,
		"ks: p is exact below 10000 pairs");
	near(et_ks_asymptotic_p(1, 40000, 40000), 0, 0, 1e-300,
		"ks: the asymptotic p of D = 1 vanishes");
	near(et_ks_asymptotic_p(0.001, 100, 100), 1, 0, 0,
		"ks: the asymptotic p of a small D is 1");
	near(et_signed_rank_test(big, 6000, 0.95).estimate, 0, 0, 0.05,
		"signed rank: the estimate of 6000 centred values is close to 0");
}

static void signs(void)
{
	static const double d[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, 0 };
	struct et_interval_test t = et_sign_test(d, 13, 0.95);

	near(t.p, 0.14599609375, 1e-12, 0, "sign: 9 of 12 have the binomial p");
	ok(t.statistic == 9 && t.df == 12 && t.estimate == 3,
		"sign: zeros count in the median and not in n");
	ok(t.lo == -1 && t.hi == 7, "sign: the interval is between order statistics");
	ok(isnan(et_sign_test(two, 0, 0.95).p) &&
			isnan(et_sign_test((double[]){ 0, 0 }, 2, 0.95).p),
		"sign: no values and only zeros have no p");
}

static void normal_approximation(void)
{
	/* wilcox.test(d, conf.int = TRUE, tol.root = 1e-13), R 4.2 */
	static const double d[] = { 1, 2, 2, -1, 3, 4, -2, 5, 1, 1, 2, 3 };
	struct et_interval_test t = et_signed_rank_test(d, ET_LENGTH(d), 0.95);

	near(t.p, 0.019643353132317253, 1e-12, 0, "signed rank: p with ties agrees with R");
	near(t.lo, 0.5, 1e-9, 0, "signed rank: the lower bound with ties agrees with R");
	near(t.hi, 3, 1e-9, 0, "signed rank: the upper bound with ties agrees with R");
	near(t.estimate, 2, 1e-9, 0, "signed rank: the estimate with ties agrees with R");
}

static void families(void)
{
	double p[] = { 0.01, NAN, 0.04, 0.03 }, none[1];

	et_holm(p, 4, p);
	near(p[0], 0.03, 1e-15, 0, "holm: the smallest p is multiplied by 3");
	ok(isnan(p[1]), "holm: NaN stays NaN and does not count");
	near(p[2], 0.06, 1e-15, 0, "holm: a larger p is at least the adjusted smaller one");
	near(p[3], 0.06, 1e-15, 0, "holm: the second smallest p is multiplied by 2");
	et_holm(p, 0, none);
	near(et_sidak_level(0.95, 126.0 * 126), 0.999996769, 1e-9, 0,
		"sidak: the level for all pairs of 126 means agrees with NIST");
}

int main(void)
{
	against_r();
	far_from_zero();
	constants();
	too_few();
	many();
	signs();
	normal_approximation();
	families();
	return tap_done();
}
