/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/signed_rank.h"

#include "base/alloc.h"
#include "dist/dist.h"
#include "num/pairwise.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/student.h"

#include <math.h>
#include <stdint.h>

enum { MOST_EXACT = 49 };

/* Fills v and n of *out and returns the tie term. */
static double rank_sum(const double *d, size_t n, struct et_signed_rank *out)
{
	ET_AUTO_FREE double *size = et_alloc(n * sizeof(*size));
	ET_AUTO_FREE double *rank = et_alloc(n * sizeof(*rank));
	ET_AUTO_FREE bool *positive = et_alloc(n * sizeof(*positive));
	double ties;

	for (size_t i = 0; i < n; i++) {
		if (d[i] == 0)
			continue;
		positive[out->n] = d[i] > 0;
		size[out->n++] = fabs(d[i]);
	}
	ties = et_rank(size, out->n, rank);
	for (size_t i = 0; i < out->n; i++)
		if (positive[i])
			out->v += rank[i];
	return ties;
}

static double exact_p(double v, double n)
{
	double half = n * (n + 1) / 4;

	return fmin(1, 2 * (v > half ? et_psignrank_upper(v - 1, n) : et_psignrank(v, n)));
}

/* Of V: Hollander & Wolfe (1999), eq. 3.11. */
static double variance(double n, double ties)
{
	return n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
}

static double normal_p(double v, double n, double ties)
{
	double z = v - n * (n + 1) / 4;

	z -= z == 0 ? 0 : copysign(0.5, z);
	return et_pnorm_two_sided(z / sqrt(variance(n, ties)));
}

/*
 * Returns which Walsh average, counted from either end, bounds the interval; 0 if the level cannot
 * be reached. Exact: Hollander & Wolfe (1999), eq. 3.34. Otherwise it is where the normal
 * approximation crosses the level: for a shift between two Walsh averages only equal differences
 * are tied, and none is zero.
 */
static uint64_t bound_index(const double *sorted, double n, double level, bool exact)
{
	double alpha = 1 - level, v;

	if (n < 1 || 2 * pow(0.5, n) > alpha * (1 + 1e-9))
		return 0;
	if (exact)
		return (uint64_t)fmax(1, et_qsignrank(alpha / 2, n));
	v = variance(n, et_ties_sorted(sorted, (size_t)n).cubic);
	return (uint64_t)fmax(1, floor(n * (n + 1) / 4 + 0.5 - et_qnorm(1 - alpha / 2) * sqrt(v)));
}

struct et_signed_rank et_signed_rank_test(const double *d, size_t n, double level)
{
	struct et_signed_rank out = { .p = NAN, .estimate = NAN, .lo = NAN, .hi = NAN };
	ET_AUTO_FREE double *sorted = et_sorted_copy(d, n);
	double ties = rank_sum(d, n, &out), m = (double)out.n;
	uint64_t k;

	out.exact = out.n == n && out.n <= MOST_EXACT && ties == 0;
	if (out.n)
		out.p = out.exact ? exact_p(out.v, m) : normal_p(out.v, m, ties);
	out.estimate = et_walsh_median(sorted, n);
	k = bound_index(sorted, (double)n, level, out.exact);
	if (k) {
		out.lo = et_walsh_kth(sorted, n, k);
		out.hi = et_walsh_kth(sorted, n, (uint64_t)n * (n + 1) / 2 + 1 - k);
	}
	return out;
}
