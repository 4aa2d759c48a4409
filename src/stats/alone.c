/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/alone.h"
#include "num/student.h"

#include <math.h>

double et_dilution(uint64_t metronome_ns)
{
	const double by_slices = 0.03, per_switch_ns = 30e3;

	return metronome_ns ? by_slices + per_switch_ns / (double)metronome_ns : by_slices;
}

static double student(size_t n, double level)
{
	return et_qt(0.5 + level / 2, (double)(n - 1));
}

/* The standard uncertainty that an interval expresses; NaN if there is none. */
static double uncertainty(const struct et_log_ratio *r, double level)
{
	return r->n < 2 ? NAN : (r->hi - r->lo) / 2 / student(r->n, level);
}

static struct et_log_ratio widened(size_t n, double estimate, double u, double t)
{
	return (struct et_log_ratio){
		.n = n, .estimate = estimate, .lo = estimate - t * u, .hi = estimate + t * u
	};
}

/*
 * Company moves the ratio of the pairs towards 1 and never away from it. So if the pairs exclude 1,
 * their end of the interval that is nearer to 1 bounds the ratio alone as well: a verdict of the
 * pairs is never contradicted by the interval beside it.
 */
static void bound(struct et_log_ratio *r, const struct et_log_ratio *pairs)
{
	if (pairs->lo > 0)
		r->lo = fmax(r->lo, fmin(pairs->lo, r->estimate));
	if (pairs->hi < 0)
		r->hi = fmin(r->hi, fmax(pairs->hi, r->estimate));
}

struct et_alone et_alone_combine(const struct et_log_ratio *pairs, const struct et_log_ratio *solos,
	double kappa, double level)
{
	double r = exp(fabs(pairs->estimate)), t = student(pairs->n, level);
	double c = copysign(log1p((r - 1) * (1 + kappa)), pairs->estimate);
	double u_c = hypot(uncertainty(pairs, level), kappa * (1 - 1 / r));
	double u_s = uncertainty(solos, level);
	struct et_alone out = { .corrected = widened(pairs->n, c, u_c, t), .z = NAN };

	out.combined = out.corrected;
	if (isfinite(u_c) && isfinite(u_s) && u_c + u_s > 0) {
		double share = u_s * u_s / (u_c * u_c + u_s * u_s); /* the weight of the pairs */
		double u = u_c * sqrt(share), s = solos->estimate;
		out.z = (c - s) / hypot(u_c, u_s);
		out.combined =
			widened(pairs->n, share * c + (1 - share) * s, u * fmax(1, fabs(out.z)), t);
	}
	bound(&out.combined, pairs);
	return out;
}
