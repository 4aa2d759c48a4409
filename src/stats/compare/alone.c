/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/alone.h"
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

/* Both uncertainties are estimates, so z has Student's law: the deviate of equal probability. */
static double normal_deviate(double z, size_t n)
{
	double p = et_pt_two_sided(z, (double)(n - 1));

	return copysign(p > 0 ? -et_qnorm(p / 2) : fabs(z), z);
}

/*
 * Company moves the ratio of the pairs towards 1 and never away from it. So if the pairs exclude 1,
 * their end of the interval that is nearer to 1 bounds the ratio alone as well.
 */
static void bound(struct et_log_ratio *r, const struct et_log_ratio *pairs)
{
	if (pairs->lo > 0)
		r->lo = fmax(r->lo, fmin(pairs->lo, r->estimate));
	if (pairs->hi < 0)
		r->hi = fmin(r->hi, fmax(pairs->hi, r->estimate));
}

/*
 * The difference of pairs and solos has three causes: the errors of both, and a kappa that is not
 * the assumed one (doubt). The solos move the correction by the share of the last in the variance
 * of the difference. It is 0 for equal programs, whatever the solos say, and the estimate is never
 * less certain than without them. *u becomes its uncertainty.
 */
static struct et_log_ratio informed(const struct et_log_ratio *corrected,
	const struct et_log_ratio *solos, double u_d, double doubt, double u_s, double *u)
{
	double share = doubt > 0 ? doubt * doubt / (doubt * doubt + u_d * u_d + u_s * u_s) : 0;
	struct et_log_ratio out = *corrected;

	out.estimate += share * (solos->estimate - corrected->estimate);
	*u = hypot((1 - share) * hypot(u_d, doubt), share * u_s);
	return out;
}

struct et_alone et_alone_of(const struct et_log_ratio *pairs, const struct et_log_ratio *solos,
	double kappa, double level)
{
	double r = exp(fabs(pairs->estimate)), t = student(pairs->n, level);
	double c = copysign(log1p((r - 1) * (1 + kappa)), pairs->estimate);
	double doubt = kappa * (1 - 1 / r), u_d = uncertainty(pairs, level);
	double u_c = hypot(u_d, doubt), u_s = uncertainty(solos, level), u = u_c;
	struct et_alone out = {
		.corrected = { pairs->n, c, c - t * u_c, c + t * u_c }, .z = NAN, .p = NAN
	};

	out.ratio = out.corrected;
	if (isfinite(u_c) && isfinite(u_s) && u_c + u_s > 0) {
		out.z = normal_deviate((c - solos->estimate) / hypot(u_c, u_s),
			pairs->n < solos->n ? pairs->n : solos->n);
		out.ratio = informed(&out.corrected, solos, u_d, doubt, u_s, &u);
		u *= fmax(1, fabs(out.z));
	}
	out.ratio.lo = out.ratio.estimate - t * u;
	out.ratio.hi = out.ratio.estimate + t * u;
	if (fabs(out.z) > ET_ALONE_DOUBTFUL)
		out.p = et_pt_two_sided(out.ratio.estimate / u, (double)(pairs->n - 1));
	else
		bound(&out.ratio, pairs);
	return out;
}
