/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles (compared with R's quantile()), ranks, inversions, selection. */
#include "base/base.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/rng.h"
#include "tap.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Long arrays are sorted by their bits, which must order signs, magnitudes and infinities. */
static void sorting(size_t n, unsigned distinct)
{
	ET_AUTO_FREE double *x = et_alloc(n * sizeof(*x)), *y = et_alloc(n * sizeof(*y));
	size_t wrong = 0;
	struct et_rng rng;

	et_rng_seed(&rng, n, distinct);
	for (size_t i = 0; i < n; i++)
		x[i] = distinct ? (double)et_rng_below(&rng, distinct)
				: ldexp(et_rng_normal(&rng), (int)et_rng_below(&rng, 2000) - 1000);
	if (n > 10) {
		x[0] = -INFINITY;
		x[n / 2] = INFINITY;
		x[n / 3] = 0;
	}
	memcpy(y, x, n * sizeof(*y));
	et_sort(x, n);
	qsort(y, n, sizeof(*y), by_value);
	for (size_t i = 0; i < n; i++)
		wrong += x[i] != y[i];
	ok(!wrong, "sort: %zu values, %u distinct (0: all), are in order", n, distinct);
}

static void quantiles(void)
{
	static const double p[] = { 0.1, 0.35, 0.5, 0.9 };
	static const double want[] = { 1.74, 3.77, 4.4, 6.96 };
	double x[] = { 2.1, 3.7, 1.2, 9.9, 4.4, 5.0, 4.4 };

	et_sort(x, ET_LENGTH(x));
	for (size_t i = 0; i < ET_LENGTH(p); i++)
		near(et_quantile_sorted(x, ET_LENGTH(x), p[i]), want[i], 1e-14, 0,
			"quantile: %g as in R", p[i]);
	near(et_quantile_sorted(x, 7, 0), 1.2, 0, 0, "quantile: 0 is the minimum");
	near(et_quantile_sorted(x, 7, 1), 9.9, 0, 0, "quantile: 1 is the maximum");
	near(et_quantile_sorted(x, 1, 0.3), 1.2, 0, 0, "quantile: of one value it is that value");
	ok(isnan(et_quantile_sorted(x, 0, 0.5)) && isnan(et_median_sorted(x, 0)),
		"quantile: of no value it is NaN");
}

static void ranks(void)
{
	static const double x[] = { 3, 1, 3, 2, 3, 1 }, want[] = { 5, 1.5, 5, 3, 5, 1.5 };
	double rank[6], copy[6], cubic = et_rank(x, 6, rank);
	struct et_ties ties;

	ok(!memcmp(rank, want, sizeof(rank)), "ranks: ties get their mean rank");
	near(cubic, 30, 0, 0, "ranks: the sum of t^3 - t over ties");
	memcpy(copy, x, sizeof(copy));
	ok(et_inversions(copy, 6) == 7, "inversions: pairs in the wrong order are counted");
	ties = et_ties_sorted(copy, 6);
	ok(ties.cubic == 30 && ties.pairs2 == 8 && ties.kendall == 84,
		"ties: the three terms of the sorted array");
	ok(et_inversions(copy, 6) == 0, "inversions: a sorted array has none");
	ok(et_rank(x, 0, rank) == 0 && et_inversions(copy, 0) == 0,
		"ranks, inversions: an empty array is accepted");
}

/* The expected values are of a second implementation; exactly, three of ten on top have 1/120. */
static void strata(void)
{
	static const double ten[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, six[] = { 5, 1, 4, 4, 2, 9 };
	static const bool top[10] = { [7] = true, [8] = true, [9] = true },
			  some[6] = { true, false, false, true, false, true }, none[10] = { false };
	struct et_rank_strata one = { 0 }, tied = { 0 }, both = { 0 }, empty = { 0 };

	et_rank_strata_add(&one, ten, top, 10);
	near(et_rank_strata_p(&one), 0.008351701923580741, 1e-12, 0, "strata: three of ten on top");
	et_rank_strata_add(&tied, six, some, 6);
	near(et_rank_strata_p(&tied), 0.038261250237529666, 1e-12, 0, "strata: with ties");
	et_rank_strata_add(&both, ten, top, 10);
	et_rank_strata_add(&both, six, some, 6);
	near(et_rank_strata_p(&both), 0.0014669104021791642, 1e-12, 0, "strata: two strata");
	et_rank_strata_add(&both, ten, none, 10);
	et_rank_strata_add(&both, ten, top, 0);
	near(et_rank_strata_p(&both), 0.0014669104021791642, 1e-12, 0,
		"strata: one without marked values and an empty one add nothing");
	et_rank_strata_add(&empty, ten, none, 10);
	ok(isnan(et_rank_strata_p(&empty)), "strata: without marked values there is no p");
}

int main(void)
{
	static const size_t sizes[] = { 1, 2, 3, 10, 599, 601, 1999, 2001, 5000, 50000, 100000 };

	quantiles();
	ranks();
	strata();
	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		sorting(sizes[i], 0);
		sorting(sizes[i], 1);
		sorting(sizes[i], 7);
	}
	return tap_done();
}
