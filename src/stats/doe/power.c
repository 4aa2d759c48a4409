/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Power of the tests of a designed experiment. The F statistic of a term with a true effect follows
 * the noncentral F distribution (Scheffé, The Analysis of Variance, 1959, section 2.8).
 */
#include "dist/dist.h"
#include "stats/doe/doe.h"

#include <math.h>

/* Beyond this noncentrality libRmath's series is too short. */
static const double most_ncp = 1e5;

/* The noncentrality that an F test at alpha finds with that probability. */
static double needed_ncp(double df1, double df2, double alpha, double power)
{
	double critical = et_qf(1 - alpha, df1, df2), lo = 0, hi = 1;

	if (!(df2 >= 1) || !(power > alpha) || !(power < 1))
		return NAN;
	while (1 - et_pf_noncentral(critical, df1, df2, hi) < power) {
		lo = hi;
		hi *= 2;
		if (hi > most_ncp)
			return INFINITY;
	}
	while (hi - lo > 1e-12 * hi) {
		double mid = (lo + hi) / 2;
		if (mid <= lo || mid >= hi)
			break;
		if (1 - et_pf_noncentral(critical, df1, df2, mid) < power)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

/*
 * The effects of a term in its cells sum up to zero over each factor, which a projection does: the
 * product of I - J/L over its factors with L levels. Of all effects whose range is 1, the smallest
 * sum of squares is 1 over the squared length of the projection of "one cell minus another", which
 * depends on the factors in which the two cells differ. Returns the largest such length.
 */
static double projected_range(const struct et_design *d, uint32_t factors)
{
	double most = 0;

	for (uint32_t differ = factors; differ; differ = (differ - 1) & factors) {
		double same = 1, across = 1;
		for (size_t i = 0; i < d->n_factors; i++) {
			if (!(factors >> i & 1))
				continue;
			double share = 1 / (double)d->factors[i].n_levels;
			same *= 1 - share;
			across *= differ >> i & 1 ? -share : 1 - share;
		}
		most = fmax(most, 2 * (same - across));
	}
	return most;
}

double et_doe_smallest_effect(
	const struct et_design *d, uint32_t factors, size_t n, double alpha, double power)
{
	double runs = (double)n * (double)d->n_treatments, cells = 1, df1 = 1;
	double df2 = runs - (double)d->n_treatments;

	if (d->blocks == ET_BLOCKS_ROUND)
		df2 -= (double)n - 1;
	for (size_t i = 0; i < d->n_factors; i++) {
		if (factors >> i & 1) {
			cells *= (double)d->factors[i].n_levels;
			df1 *= (double)d->factors[i].n_levels - 1;
		}
	}
	return sqrt(
		needed_ncp(df1, df2, alpha, power) * projected_range(d, factors) * cells / runs);
}

double et_doe_smallest_difference(size_t n, double alpha, double power)
{
	return sqrt(needed_ncp(1, 2 * (double)n - 2, alpha, power) * 2 / (double)n);
}
