/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/interval.h"

#include "dist/dist.h"
#include "num/student.h"

#include <math.h>

struct et_interval et_sd_interval(double sd, size_t n, double level)
{
	return et_spread_interval(sd, n ? (double)n - 1 : 0, level);
}

struct et_interval et_spread_interval(double spread, double df, double level)
{
	double alpha = 1 - level;

	if (!(df > 0))
		return (struct et_interval){ NAN, NAN, NAN };
	return (struct et_interval){
		.lo = spread * sqrt(df / et_qchisq(1 - alpha / 2, df)),
		.hi = spread * sqrt(df / et_qchisq(alpha / 2, df)),
		.level = level,
	};
}

/* David & Nagaraja (2003), section 7.1: P(x_(k) < median < x_(n+1-k)) is binomial. */
struct et_interval et_median_interval(const double *sorted, size_t n, double level)
{
	struct et_interval none = { NAN, NAN, NAN };
	size_t k;

	if (!n)
		return none;
	k = (size_t)et_qbinom((1 - level) / 2, (double)n, 0.5);
	if (!k)
		return none;
	return (struct et_interval){
		.lo = sorted[k - 1],
		.hi = sorted[n - k],
		.level = 1 - 2 * et_pbinom((double)k - 1, (double)n, 0.5),
	};
}

struct et_interval et_share_interval_wilson(double k, double n, double level)
{
	double z = et_qnorm((1 + level) / 2), p = k / n;
	double middle = p + z * z / (2 * n), scale = 1 + z * z / n;
	double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

	return (struct et_interval){
		.lo = k > 0 ? (middle - half) / scale : 0,
		.hi = k < n ? (middle + half) / scale : 1,
		.level = level,
	};
}
