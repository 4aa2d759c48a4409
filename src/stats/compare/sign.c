/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/sign.h"

#include "base/attr.h"
#include "num/quantile.h"
#include "num/student.h"
#include "stats/series/interval.h"

#include <math.h>

struct et_interval_test et_sign_test(const double *d, size_t n, double level)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(d, n);
	struct et_interval around = et_median_interval(sorted, n, level);
	double positive = 0, negative = 0;

	for (size_t i = 0; i < n; i++) {
		positive += d[i] > 0;
		negative += d[i] < 0;
	}
	return (struct et_interval_test){
		.statistic = positive,
		.p = positive + negative > 0 ? fmin(1, 2 * et_pbinom(fmin(positive, negative),
								   positive + negative, 0.5))
					     : NAN,
		.df = positive + negative,
		.df2 = NAN,
		.estimate = et_median_sorted(sorted, n),
		.lo = around.lo,
		.hi = around.hi,
	};
}
