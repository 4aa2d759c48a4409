/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/student.h"
#include "dist/dist.h"
#include "num/moments.h"
#include "num/student.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const struct et_interval_test undefined = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };

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
