/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/summary.h"

#include "num/dist.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <math.h>

/* JCGM 100:2008 (GUM): eqs. 3 and 5 for the mean and its Type A uncertainty, annex G.3 for k. */
void et_summarise(const double *x, size_t n, double level, struct et_estimate *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	double mean = et_mean(x, n), sd = et_sd(x, n);
	double u = sd / sqrt((double)n), k = n < 2 ? NAN : et_qt((1 + level) / 2, (double)n - 1);

	*out = (struct et_estimate){
		.n = n,
		.mean = mean,
		.sd = sd,
		.relative_error = sd / mean,
		.min = n ? sorted[0] : NAN,
		.max = n ? sorted[n - 1] : NAN,
		.median = et_median_sorted(sorted, n),
		.q1 = et_quantile_sorted(sorted, n, 0.25),
		.q3 = et_quantile_sorted(sorted, n, 0.75),
		.standard_uncertainty = u,
		.coverage_factor = k,
		.expanded_uncertainty = k * u,
		.lo = mean - k * u,
		.hi = mean + k * u,
		.level = level,
		.interval_method = "student-t",
	};
}
