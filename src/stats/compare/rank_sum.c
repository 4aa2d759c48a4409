/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/rank_sum.h"

#include "base/alloc.h"
#include "dist/dist.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/student.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_EXACT = 49, MOST_PERMUTED = 60 };

/* Ranks of x followed by y, which the caller frees; the tie term goes to *ties. */
static double *pooled_ranks(const double *x, size_t nx, const double *y, size_t ny, double *ties)
{
	ET_AUTO_FREE double *all = et_alloc((nx + ny) * sizeof(*all));
	double *rank = et_alloc((nx + ny) * sizeof(*rank));

	memcpy(all, x, nx * sizeof(*all));
	memcpy(all + nx, y, ny * sizeof(*all));
	*ties = et_rank(all, nx + ny, rank);
	return rank;
}

static double exact_p(double w, double m, double n)
{
	return fmin(1, 2 * (w > m * n / 2 ? et_pwilcox_upper(w - 1, m, n) : et_pwilcox(w, m, n)));
}

/* Variance of W: Hollander & Wolfe (1999), eq. 4.9; ties is the sum of t^3 - t. */
static double variance(double m, double n, double ties)
{
	return m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)));
}

static double normal_p(double w, double m, double n, double ties)
{
	double z = w - m * n / 2, v = variance(m, n, ties);

	if (v <= 0)
		return NAN;
	z -= z == 0 ? 0 : copysign(0.5, z);
	return et_pnorm_two_sided(z / sqrt(v));
}

/*
 * Returns which of the ordered differences, counted from either end, bounds the interval: the last
 * shift that the test does not reject; 0 if there is none. Exact: Bauer (1972). Otherwise it is
 * where the normal approximation crosses the level: while the shift is between two differences,
 * the only ties are those within x and within y.
 */
static uint64_t bound_index(
	const double *sx, double m, const double *sy, double n, double level, bool exact)
{
	double alpha = 1 - level, v, c;

	if (exact) {
		if (2 * et_pwilcox(0, m, n) > alpha * (1 + 1e-9))
			return 0;
		return (uint64_t)fmax(1, et_qwilcox(alpha / 2, m, n));
	}
	v = variance(
		m, n, et_ties_sorted(sx, (size_t)m).cubic + et_ties_sorted(sy, (size_t)n).cubic);
	if (sx[0] == sx[(size_t)m - 1] && sy[0] == sy[(size_t)n - 1])
		return 0; /* one difference only: nothing to bound it by */
	c = m * n / 2 + 0.5 - et_qnorm(1 - alpha / 2) * sqrt(v);
	return (uint64_t)fmax(1, floor(c));
}

struct et_rank_sum et_rank_sum_only(const double *x, size_t nx, const double *y, size_t ny)
{
	struct et_rank_sum out = { NAN, NAN, NAN, NAN, NAN, NAN, false };
	ET_AUTO_FREE double *rank = NULL;
	double m = (double)nx, n = (double)ny, ties;

	if (!nx || !ny)
		return out;
	rank = pooled_ranks(x, nx, y, ny, &ties);
	out.w = -m * (m + 1) / 2;
	for (size_t i = 0; i < nx; i++)
		out.w += rank[i];
	out.delta = 2 * out.w / (m * n) - 1;
	out.exact = ties == 0 && nx <= MOST_EXACT && ny <= MOST_EXACT;
	out.p = out.exact ? exact_p(out.w, m, n) : normal_p(out.w, m, n, ties);
	return out;
}

struct et_rank_sum et_rank_sum_test(
	const double *x, size_t nx, const double *y, size_t ny, double level)
{
	struct et_rank_sum out = et_rank_sum_only(x, nx, y, ny);
	ET_AUTO_FREE double *sx = et_sorted_copy(x, nx), *sy = et_sorted_copy(y, ny);
	uint64_t k;

	if (!nx || !ny)
		return out;
	out.shift = et_difference_median(sx, nx, sy, ny);
	k = bound_index(sx, (double)nx, sy, (double)ny, level, out.exact);
	if (k) {
		out.lo = et_difference_kth(sx, nx, sy, ny, k);
		out.hi = et_difference_kth(sx, nx, sy, ny, (uint64_t)nx * ny + 1 - k);
	}
	return out;
}

/*
 * ways[k * width + s]: subsets of k doubled ranks that add up to s (Streitberg & Roehmel 1986, the
 * shift algorithm). Counts up to C(120, 60) keep their digits in a double.
 */
static double *subset_counts(const double *rank, size_t n, size_t m, size_t width)
{
	double *ways = et_calloc((m + 1) * width, sizeof(*ways));

	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t r = (size_t)(2 * rank[i]);

		for (size_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
			double *to = ways + k * width, *from = ways + (k - 1) * width;

			for (size_t s = r; s < width; s++)
				to[s] += from[s - r];
		}
	}
	return ways;
}

double et_rank_sum_permutation_p(const double *x, size_t nx, const double *y, size_t ny)
{
	ET_AUTO_FREE double *rank = NULL, *ways = NULL;
	size_t n = nx + ny, width = n * (n + 1) + 1, sum = 0;
	double ties, all = 0, beyond = 0, middle = (double)(nx * (n + 1)), far;

	if (!nx || !ny || nx > MOST_PERMUTED || ny > MOST_PERMUTED)
		return NAN;
	rank = pooled_ranks(x, nx, y, ny, &ties);
	for (size_t i = 0; i < nx; i++)
		sum += (size_t)(2 * rank[i]);
	far = fabs((double)sum - middle);
	ways = subset_counts(rank, n, nx, width);
	for (size_t s = 0; s < width; s++) {
		double w = ways[nx * width + s];

		all += w;
		if (fabs((double)s - middle) >= far)
			beyond += w;
	}
	return beyond / all;
}
