/* SPDX-License-Identifier: MIT */
/*
 * Our own normal, t, F, beta and binomial distributions. The constants are R 4.2's; the expression
 * that gives each is in its row.
 */
#include "num/student.h"
#include "tap.h"

struct row {
	const char *r;
	double want, got;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		near(rows[i].got, rows[i].want, 1e-11, 0, "student: %s as in R", rows[i].r);
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_normal(void)
{
	const struct row rows[] = {
		{ "2 * pnorm(-1.5)", 0.13361440253771614, et_pnorm_two_sided(1.5) },
		{ "pnorm(-37)", 5.7255712225245771e-300, et_pnorm(-37) },
		{ "pnorm(37, lower=FALSE)", 5.7255712225245771e-300, et_pnorm_upper(37) },
		{ "qnorm(0.975)", 1.9599639845400536, et_qnorm(0.975) },
		{ "qnorm(1e-12)", -7.0344838253011321, et_qnorm(1e-12) },
		{ "qnorm(0.4999)", -0.00025066283008800752, et_qnorm(0.4999) },
	};

	CHECK(rows);
	for (double z = -8; z < 0; z += 0.37)
		near(et_qnorm(et_pnorm(z)), z, 1e-14, 0, "student: qnorm inverts pnorm at %g", z);
}

static void test_t(void)
{
	const struct row rows[] = {
		{ "2 * pt(-2.5, 1)", 0.24223788318168671, et_pt_two_sided(2.5, 1) },
		{ "2 * pt(-2.5, 3.7)", 0.071822022911826752, et_pt_two_sided(2.5, 3.7) },
		{ "2 * pt(-0.1, 12)", 0.9219955704568259, et_pt_two_sided(0.1, 12) },
		{ "2 * pt(-40, 50)", 1.2412423784372831e-39, et_pt_two_sided(-40, 50) },
		{ "2 * pt(-1e-9, 5)", 0.99999999924078664, et_pt_two_sided(1e-9, 5) },
		{ "2 * pt(-3, 19999)", 0.0027031212044319789, et_pt_two_sided(3, 19999) },
		{ "2 * pt(-3, 20001)", 0.0027031208718256415, et_pt_two_sided(3, 20001) },
		{ "2 * pt(-6, 1e7)", 1.973242733367789e-09, et_pt_two_sided(6, 1e7) },
		{ "2 * pt(-1e5, 2)", 9.9999999985000001e-11, et_pt_two_sided(1e5, 2) },
		{ "qt(0.975, 1)", 12.706204736174694, et_qt(0.975, 1) },
		{ "qt(0.975, 2)", 4.3026527297494619, et_qt(0.975, 2) },
		{ "qt(0.975, 9)", 2.2621571627982049, et_qt(0.975, 9) },
		{ "qt(0.995, 29)", 2.7563859036706049, et_qt(0.995, 29) },
		{ "qt(1e-10, 4)", -416.17514032960423, et_qt(1e-10, 4) },
		{ "qt(0.6, 7)", 0.26316686135202277, et_qt(0.6, 7) },
		{ "qt(0.975, 19999)", 1.9600826110898149, et_qt(0.975, 19999) },
		{ "qt(0.975, 25000)", 1.960058879905427, et_qt(0.975, 25000) },
		{ "qt(0.975, 1e9)", 1.9599639869123249, et_qt(0.975, 1e9) },
		{ "qt(0.975, Inf)", 1.9599639845400536, et_qt(0.975, INFINITY) },
		{ "qt(1e-6, 0.5)", -102849115631.63504, et_qt(1e-6, 0.5) },
	};

	CHECK(rows);
	/* The quantile of one and of two degrees of freedom has a closed form. */
	for (double p = 0.51; p < 1; p += 0.07) {
		double a = 4 * p * (1 - p);

		near(et_qt(p, 1), tan(M_PI * (p - 0.5)), 1e-13, 0,
			"student: qt(%g, 1) is a tangent", p);
		near(et_qt(p, 2), 2 * (p - 0.5) * sqrt(2 / a), 1e-13, 0,
			"student: qt(%g, 2) is its closed form", p);
	}
	near(et_qt((1 + pow(0.95, 1 / (126.0 * 126))) / 2, 99), 4.936, 1e-4, 0,
		"student: the coverage factor for all pairs of 126 means is NIST's");
}

static void test_f(void)
{
	const struct row rows[] = {
		{ "pf(3, 2, 10, lower=F)", 0.095367431640624972, et_pf_upper(3, 2, 10) },
		{ "pf(1e6, 50, 60, lower=F)", 3.329368905767673e-163, et_pf_upper(1e6, 50, 60) },
		{ "pf(0.5, 1, 30, lower=F)", 0.48495696868303806, et_pf_upper(0.5, 1, 30) },
		{ "pf(1.1, 3000, 4000, lower=F)", 0.0025738225658764806,
			et_pf_upper(1.1, 3000, 4000) },
		{ "pf(4.5, 8, 72, lower=F)", 0.00018288204074055569, et_pf_upper(4.5, 8, 72) },
		{ "pf(0.001, 4, 20)", 2.1964834294390375e-06, et_pf(0.001, 4, 20) },
		{ "pf(1, 10, 10)", 0.5, et_pf(1, 10, 10) },
		{ "pbeta(0.3, 2.5, 4)", 0.35219758590676714, et_pbeta(0.3, 2.5, 4) },
		{ "pbeta(0.999, 500, 0.5)", 0.31731044730971736, et_pbeta(0.999, 500, 0.5) },
		{ "pbinom(3, 10, 0.5)", 0.171875, et_pbinom(3, 10, 0.5) },
		{ "pbinom(480, 1000, 0.5)", 0.10872414660207072, et_pbinom(480, 1000, 0.5) },
		{ "qbinom(0.025, 100, 0.5)", 40, et_qbinom(0.025, 100, 0.5) },
		{ "lchoose(100, 30)", 58.64209564095637, et_lchoose(100, 30) },
	};

	CHECK(rows);
	for (int n = 1; n < 60; n += 7) {
		bool agree = true;

		for (int k = 0; k <= n / 2; k++)
			agree &= et_qbinom(et_pbinom(k, n, 0.5), n, 0.5) == k;
		ok(agree, "student: qbinom inverts pbinom for %d trials", n);
	}
	ok(et_pf_upper(INFINITY, 3, 4) == 0 && et_pf_upper(0, 3, 4) == 1 && et_pf(0, 3, 4) == 0,
		"student: the ends of F are 0 and 1");
	ok(et_lchoose(3, 4) == -INFINITY, "student: no way to choose 4 of 3");
}

static void test_domain(void)
{
	ok(isnan(et_qt(1.5, 3)) && isnan(et_qt(0.5, 0)) && isnan(et_qt(NAN, 1)) &&
			isnan(et_pt_two_sided(NAN, 1)) && isnan(et_pt_two_sided(0, -1)),
		"student: t outside its domain is NaN");
	ok(isnan(et_pf(NAN, 1, 1)) && isnan(et_pf_upper(1, 0, 1)) && isnan(et_qnorm(2)),
		"student: F and normal outside their domains are NaN");
	ok(isnan(et_pbinom(1, 0, 0.5)) && isnan(et_qbinom(0.5, 5, 2)) &&
			isnan(et_pbeta(0.5, 0, 1)) && isnan(et_lchoose(-1, 0)),
		"student: binomial, beta and lchoose outside their domains are NaN");
	ok(et_qt(0, 3) == -INFINITY && et_qt(1, 3) == INFINITY && et_qt(0.5, 3) == 0,
		"student: the quantiles of 0, 1 and 0.5 are exact");
}

int main(void)
{
	test_normal();
	test_t();
	test_f();
	test_domain();
	return tap_done();
}
