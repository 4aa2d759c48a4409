/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/bootstrap_interval.h"

#include "num/quantile.h"
#include "num/student.h"

#include <math.h>

struct et_boot et_boot_undefined(double estimate)
{
	static const struct et_interval none = { NAN, NAN, NAN };

	return (struct et_boot){
		.estimate = estimate,
		.se = NAN,
		.bias = NAN,
		.z0 = NAN,
		.acceleration = NAN,
		.percentile = none,
		.bca = none,
		.t = none,
		.p = NAN,
	};
}

/* Davison & Hinkley (1997), eq. 5.8: between order statistics by the normal quantiles' scale. */
static double quantile(const double *x, size_t n, double p)
{
	double k = floor(p * ((double)n + 1)), size = (double)n + 1, below, above, q;
	size_t at = k < 1 ? 0 : k > (double)n ? n - 1 : (size_t)k - 1;

	if (k < 1 || k >= (double)n || k == p * size)
		return x[at];
	below = et_qnorm(k / size);
	above = et_qnorm((k + 1) / size);
	q = (et_qnorm(p) - below) / (above - below);
	return q == 0 ? x[at] : x[at] + q * (x[at + 1] - x[at]);
}

enum { MOST_PROBABILITIES = 4 };

/* Replaces the n probabilities p by the quantiles of x, which is sorted here, at them. */
static void quantiles(double *x, size_t replicates, double *p, size_t n)
{
	et_sort(x, replicates);
	for (size_t i = 0; i < n; i++)
		p[i] = quantile(x, replicates, p[i]);
}

/* Mean and spread of the replicates, and the normal quantile of the share below the estimate. */
static void describe(const double *theta, size_t n, struct et_boot *out)
{
	double sum = 0, squares = 0, below = 0, size = (double)n;

	for (size_t i = 0; i < n; i++) {
		double d = theta[i] - out->estimate;

		sum += d;
		squares += d * d;
		below += d < 0 ? 1 : d == 0 ? 0.5 : 0;
	}
	out->bias = sum / size;
	out->se = sqrt(fmax(0, squares - sum * sum / size) / (size - 1));
	out->z0 = et_qnorm(below / size);
}

/* Efron (1987), eq. 3.10: the probability whose quantile is the end of a nominal one. */
static double bca_level(double p, double z0, double a)
{
	double z = z0 + et_qnorm(p);

	return et_pnorm(z0 + z / (1 - a * z));
}

/* The inverse of bca_level: the nominal level of the interval that ends at `against`. */
static double bca_p(const double *theta, size_t n, double against, double z0, double a)
{
	double below = 0, size = (double)n;

	for (size_t i = 0; i < n; i++)
		below += theta[i] < against ? 1 : theta[i] == against ? 0.5 : 0;
	/* No share of n replicates is known to be 0 or 1. */
	double share = fmin(fmax(below, 0.5), size - 0.5) / size;
	double y = et_qnorm(share) - z0, z = y / (1 + a * y) - z0;

	return 1 + a * y > 0 ? et_pnorm_two_sided(z) : NAN;
}

void et_boot_intervals(const struct et_boot_options *options, double *theta, double *t,
	double error, double acceleration, struct et_boot *out)
{
	double lo = (1 - options->level) / 2, hi = (1 + options->level) / 2;
	double p[MOST_PROBABILITIES] = { lo, hi };
	size_t n = 2;

	describe(theta, options->replicates, out);
	out->acceleration = acceleration;
	if (options->bca) {
		p[2] = bca_level(lo, out->z0, acceleration);
		p[3] = bca_level(hi, out->z0, acceleration);
		if (isfinite(p[2]) && isfinite(p[3]) && isfinite(out->z0))
			n = 4;
	}
	if (n == 4)
		out->p = bca_p(theta, options->replicates, options->against, out->z0, acceleration);
	quantiles(theta, options->replicates, p, n);
	out->percentile = (struct et_interval){ p[0], p[1], options->level };
	if (n == 4)
		out->bca = (struct et_interval){ p[2], p[3], options->level };
	if (t) {
		double q[2] = { hi, lo };

		quantiles(t, options->replicates, q, 2);
		out->t = (struct et_interval){ out->estimate - q[0] * error,
			out->estimate - q[1] * error, options->level };
	}
}
