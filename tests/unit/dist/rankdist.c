/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rank distributions, against counting by enumeration and against published values. */
#include "dist/dist.h"
#include "tap.h"

/* Counts the subsets of 1 … total with `size` elements (any number of them: 0) by their sum. */
static void enumerate(unsigned total, unsigned size, double *by_sum, double *all)
{
	*all = 0;
	for (unsigned set = 0; set < 1u << total; set++) {
		unsigned sum = 0;
		if (size && (unsigned)__builtin_popcount(set) != size)
			continue;
		for (unsigned i = 0; i < total; i++)
			sum += set >> i & 1 ? i + 1 : 0;
		by_sum[sum]++;
		++*all;
	}
}

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-14 * fabs(b);
}

static void check_signed(void)
{
	unsigned wrong = 0, checked = 0;

	for (unsigned n = 1; n <= 12; n++) {
		double by_sum[100] = { 0 }, all, sum = 0;
		enumerate(n, 0, by_sum, &all);
		for (unsigned v = 0; v <= n * (n + 1) / 2; v++, checked++) {
			sum += by_sum[v];
			wrong += !close_to(et_psignrank(v, n), sum / all) ||
				 !close_to(et_psignrank_upper(v, n), (all - sum) / all) ||
				 et_qsignrank(sum / all, n) != v;
		}
	}
	ok(checked > 300 && wrong == 0, "rankdist: the signed-rank statistic is as enumerated");
	ok(et_psignrank(-1, 5) == 0 && et_psignrank(15, 5) == 1 && et_psignrank_upper(-1, 5) == 1 &&
			et_qsignrank(0, 5) == 0 && et_qsignrank(1, 5) == 15,
		"rankdist: the signed-rank statistic beyond its range");
}

static void check_sums(void)
{
	unsigned wrong = 0, checked = 0;

	for (unsigned m = 1; m <= 7; m++) {
		for (unsigned n = 1; n <= 7; n++) {
			double by_sum[120] = { 0 }, all, sum = 0;
			unsigned least = m * (m + 1) / 2;
			enumerate(m + n, m, by_sum, &all);
			for (unsigned w = 0; w <= m * n; w++, checked++) {
				sum += by_sum[least + w];
				wrong += !close_to(et_pwilcox(w, m, n), sum / all) ||
					 !close_to(et_pwilcox_upper(w, m, n), (all - sum) / all) ||
					 et_qwilcox(sum / all, m, n) != w;
			}
		}
	}
	ok(checked > 700 && wrong == 0, "rankdist: the rank-sum statistic is as enumerated");
}

/* At 64 our own functions end and libRmath begins: both obey the same recurrence. */
static void check_large(void)
{
	near(et_qsignrank(0.025, 50), 435, 0, 0,
		"rankdist: the critical value of V of 50 differences is the tables' 434");
	near(et_pwilcox(0, 64, 64) * 2.3951146041928082e37, 1, 1e-12, 0,
		"rankdist: the least W of 64 and 64 has 1 of C(128, 64) orders");
	near(et_psignrank(0, 64), 0x1p-64, 1e-14, 0,
		"rankdist: the least V of 64 has 1 of 2^64 orders");
	near(et_pwilcox(2000, 64, 64) + et_pwilcox_upper(2000, 64, 64), 1, 1e-12, 0,
		"rankdist: both tails of W add up to 1");
	/* P_{m,n}(w) = (m P_{m-1,n}(w-n) + n P_{m,n-1}(w)) / (m+n), of Mann and Whitney */
	near(et_pwilcox(1800, 65, 64),
		(65 * et_pwilcox(1800 - 64, 64, 64) + 64 * et_pwilcox(1800, 65, 63)) / 129, 1e-9, 0,
		"rankdist: W of 65 and 64 follows from W of 64 and 64");
	near(et_psignrank(900, 65), (et_psignrank(900, 64) + et_psignrank(900 - 65, 64)) / 2, 1e-9,
		0, "rankdist: V of 65 follows from V of 64");
}

int main(void)
{
	check_signed();
	check_sums();
	check_large();
	return tap_done();
}
