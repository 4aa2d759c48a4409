/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/summary.h"

#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "stats/series/student.h"

#include <math.h>

/* How far ± reaches below the smallest value, over its half width, where it begins to mislead. */
static const double visible = 0.1;

/*
 * All values are equal, so only the step in which they are shown is known to be uncertain: the last
 * decimal of the value, at most a unit (a nanosecond, for times).
 */
static double step_of(double value)
{
	double step = 1;

	for (int digits = 0; digits < 9; digits++, step /= 10) {
		double steps = value / step;
		if (fabs(steps - round(steps)) <= 1e-9 * fmax(1, fabs(steps)))
			break;
	}
	return step;
}

/*
 * GUM 4.3.7 and F.2.2.1: a rectangular distribution as wide as the step, without a type A part. Of
 * its half width, which is sqrt(3) standard uncertainties, an interval of 95 % takes 95 %.
 */
static void allow_for_resolution(struct et_estimate *e)
{
	double u = et_resolution_uncertainty(step_of(e->mean)), k = e->level * sqrt(3);

	e->standard_uncertainty = u;
	e->coverage_factor = k;
	e->df = INFINITY;
	e->expanded_uncertainty = k * u;
	e->interval_method = "resolution";
}

/* JCGM 100:2008 (GUM): eqs. 3 and 5 for the mean and its Type A uncertainty, annex G.3 for k. */
void et_summarise(const double *x, size_t n, double level, struct et_estimate *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	struct et_mean_interval m = et_mean_interval(x, n, level);
	double sd = et_sd(x, n);

	*out = (struct et_estimate){
		.n = n,
		.mean = m.mean,
		.sd = sd,
		.relative_error = sd / m.mean,
		.min = n ? sorted[0] : NAN,
		.max = n ? sorted[n - 1] : NAN,
		.median = et_median_sorted(sorted, n),
		.q1 = et_quantile_sorted(sorted, n, 0.25),
		.q3 = et_quantile_sorted(sorted, n, 0.75),
		.standard_uncertainty = m.u,
		.coverage_factor = m.half / m.u,
		.expanded_uncertainty = m.half,
		.df = m.df,
		.level = level,
		.interval_method = m.skewed || m.inflation > 1 ? "student-t-widened" : "student-t",
		.inflation = m.inflation,
		.skew_effect = m.skew_effect,
		.skewed = m.skewed,
	};
	if (n > 1 && out->min == out->max)
		allow_for_resolution(out);
	out->lo = out->mean - out->expanded_uncertainty;
	out->hi = out->mean + out->expanded_uncertainty;
	/*
	 * Skewness widens both sides, though its tail is on one. Of independent values, most of
	 * which are below the mean, all are above it with a chance of less than 1 in 2^n.
	 */
	bool tail_above = out->skewed && out->mean > out->median && !(out->inflation > 1);
	if (tail_above && exp2(-(double)n) < (1 - level) / 2 &&
		out->min - out->lo > visible * out->expanded_uncertainty)
		out->lo = out->min;
}
