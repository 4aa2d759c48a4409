/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/interval.h"

#include <float.h>

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

	if (!n)
		return none;
	size_t k = (size_t)et_qbinom((1 - level) / 2, (double)n, 0.5);
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

/* --- tests --- */

static const struct et_interval_test undefined = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, false };

/* As R: a standard error this small against the means is the noise of rounding. */
static bool is_constant(double error, double mean_x, double mean_y)
{
	return error < 10 * DBL_EPSILON * fmax(fabs(mean_x), fabs(mean_y));
}

/* The difference of two means, without the rounding of each. */
static double difference(const double *x, size_t nx, const double *y, size_t ny)
{
	double mean_x = et_mean(x, nx), mean_y = et_mean(y, ny);

	return mean_x - mean_y + (et_mean_rest(x, nx, mean_x) - et_mean_rest(y, ny, mean_y));
}

/* Student's t: the distance of estimate and mu in standard errors, with df degrees of freedom. */
static struct et_interval_test t_test(
	double estimate, double mu, double error, double df, double level)
{
	double t = (estimate - mu) / error, q = et_qt((1 + level) / 2, df);

	return (struct et_interval_test){
		.statistic = t,
		.p = et_pt_two_sided(t, df),
		.df = df,
		.df2 = NAN,
		.estimate = estimate,
		.lo = mu + (t - q) * error,
		.hi = mu + (t + q) * error,
	};
}

struct et_interval_test et_t_one_sample(const double *x, size_t n, double mu, double level)
{
	double mean = et_mean(x, n), error = et_sd(x, n) / sqrt((double)n);

	if (n < 2 || is_constant(error, mean, mean))
		return undefined;
	return t_test(mean, mu, error, (double)n - 1, level);
}

struct et_interval_test et_t_student(
	const double *x, size_t nx, const double *y, size_t ny, double level)
{
	double mean_x = et_mean(x, nx), mean_y = et_mean(y, ny);
	double df = (double)nx + (double)ny - 2, squares = 0, error;

	if (!nx || !ny || df < 1)
		return undefined;
	if (nx > 1)
		squares += ((double)nx - 1) * et_variance(x, nx);
	if (ny > 1)
		squares += ((double)ny - 1) * et_variance(y, ny);
	error = sqrt(squares / df * (1 / (double)nx + 1 / (double)ny));
	if (is_constant(error, mean_x, mean_y))
		return undefined;
	return t_test(difference(x, nx, y, ny), 0, error, df, level);
}

struct et_interval_test et_t_welch(
	const double *x, size_t nx, const double *y, size_t ny, double level)
{
	double mean_x = et_mean(x, nx), mean_y = et_mean(y, ny), ex, ey, error, df;

	if (nx < 2 || ny < 2)
		return undefined;
	ex = et_sd(x, nx) / sqrt((double)nx);
	ey = et_sd(y, ny) / sqrt((double)ny);
	error = hypot(ex, ey);
	if (is_constant(error, mean_x, mean_y))
		return undefined;
	/* the parts first: fourth powers of tiny or huge errors leave the range of double */
	df = 1 / (pow(ex / error, 4) / ((double)nx - 1) + pow(ey / error, 4) / ((double)ny - 1));
	return t_test(difference(x, nx, y, ny), 0, error, df, level);
}

struct et_interval_test et_f_test(
	const double *x, size_t nx, const double *y, size_t ny, double level)
{
	double f, df1 = (double)nx - 1, df2 = (double)ny - 1, tail;

	if (nx < 2 || ny < 2)
		return undefined;
	f = et_variance(x, nx) / et_variance(y, ny);
	tail = fmin(et_pf(f, df1, df2), et_pf_upper(f, df1, df2));
	return (struct et_interval_test){
		.statistic = f,
		.p = isnan(f) ? NAN : fmin(1, 2 * tail),
		.df = df1,
		.df2 = df2,
		.estimate = f,
		.lo = f / et_qf((1 + level) / 2, df1, df2),
		.hi = f / et_qf((1 - level) / 2, df1, df2),
	};
}

struct et_combined et_combine(const struct et_component *parts, size_t n, double level)
{
	struct et_combined out = { 0 };
	double rest = 0;

	for (size_t i = 0; i < n; i++)
		out.u = hypot(out.u, parts[i].c * parts[i].u);
	for (size_t i = 0; i < n;
		i++) /* each as a part of the whole: no overflow of the 4th power */
		rest += pow(parts[i].c * parts[i].u / out.u, 4) / parts[i].df;
	out.df = 1 / rest;
	out.k = et_qt((1 + level) / 2, out.df);
	out.expanded = out.k * out.u;
	return out;
}

double et_resolution_uncertainty(double step)
{
	return step / sqrt(12);
}

/* --- a series summed up --- */

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
