/* SPDX-License-Identifier: MIT */
#include "num/sequence.h"
#include "base/base.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <math.h>

/* The variance of the mixture, in units of the values': where the interval is narrowest. */
static const double mixture = 0.5;
static const double limit = ET_HUBER;
/*
 * Few values cannot show that they are dependent, so they need this many times the evidence: then
 * they decide only where the difference is large.
 */
static const double caution = 20;

double et_sequence_width(double n, double level)
{
	double freedom = n - 1, spread = 1 + n * mixture;
	double c = pow(sqrt(spread) / (1 - level), 2 / n);

	if (!(freedom > 0) || !(c < spread))
		return INFINITY;
	return sqrt(freedom * (c - 1) / (1 - c / spread));
}

double et_sequence_evidence(double t, double n)
{
	double freedom = n - 1, spread = 1 + n * mixture, square = t * t / freedom;

	if (!(freedom > 0) || isnan(t))
		return 1;
	if (isinf(square))
		return pow(spread, (n - 1) / 2);
	return pow((1 + square) / (1 + square / spread), n / 2) / sqrt(spread);
}

/* Writes Huber's score of each value about the location to out; returns the share within. */
static double scores(const double *x, size_t n, double location, double sd, double *out)
{
	size_t within = 0;

	for (size_t i = 0; i < n; i++) {
		double u = (x[i] - location) / sd;
		within += fabs(u) <= limit;
		out[i] = fmax(-limit, fmin(limit, u));
	}
	return (double)within / (double)n;
}

/* Moves the location to Huber's of this scale; y becomes the scores, of which a share is returned.
 */
static double settle(const double *x, size_t n, double sd, double *location, double *y)
{
	enum { MOST = 50 };
	double share = scores(x, n, *location, sd, y);

	for (int i = 0; i < MOST; i++) {
		double step = sd * et_mean(y, n) / share;
		*location += step;
		share = scores(x, n, *location, sd, y);
		if (fabs(step) < 1e-9 * sd)
			break;
	}
	return share;
}

double et_huber(const double *x, size_t n, double start, double sd)
{
	ET_AUTO_FREE double *y = et_calloc(n + 1, sizeof(*y));

	if (n && sd > 0)
		settle(x, n, sd, &start, y);
	return start;
}

/* Fills the location and its standard error without dependence; y becomes the scores. */
static void locate(const double *x, size_t n, double *y, struct et_sequence *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	double sd = et_mad_sorted(sorted, n), share;

	out->location = et_median_sorted(sorted, n);
	if (!(sd > 0)) { /* more than half of the values are equal: nothing is a far value */
		out->location = et_mean(x, n);
		out->error = et_sd(x, n) / sqrt((double)n);
		memcpy(y, x, n * sizeof(*y));
		return;
	}
	share = settle(x, n, sd, &out->location, y);
	/* Huber & Ronchetti, Robust Statistics, 2009, eq. 7.81. */
	double small = 1 + (1 - share) / ((double)n * share);
	out->error = small * sd * et_sd(y, n) / share / sqrt((double)n);
}

/*
 * As et_serial_inflation, but with one and a half standard errors of the coefficient: there are
 * many looks, and one that finds too little dependence is enough for an error.
 */
static double inflation(const double *y, size_t n)
{
	const double errors = 1.5;
	double r = et_autocorrelation(y, n, 1);

	if (n >= ET_DEPENDENCE_TESTABLE) {
		r += (1 + 4 * r) / (double)n;
		r += r > 0 ? errors * sqrt(fmax(0, 1 - r * r) / (double)n) : 0;
	}
	return et_ar1_inflation(r, n);
}

/*
 * How many independent values they count as. The standard error has the dependence as well; few
 * values that seem to depend must not be without an interval where the difference is far beyond it.
 */
static double independent_of(size_t n, double inflation)
{
	const double least = 10;

	return fmax((double)n / inflation, fmin((double)n, least));
}

/* How many times the evidence this many values need. */
static double doubt_of(size_t n)
{
	return n < ET_DEPENDENCE_TESTABLE ? caution : 1;
}

double et_sequence_evidence_beyond(double halves, size_t n, double inflation, double level)
{
	double independent = independent_of(n, inflation), doubt = doubt_of(n);
	double width = et_sequence_width(independent, 1 - (1 - level) / doubt);

	return et_sequence_evidence(halves * width, independent) / doubt;
}

struct et_sequence et_sequence_of(const double *x, size_t n, double level)
{
	struct et_sequence out = { NAN, NAN, -INFINITY, INFINITY, 1, 1, 1 };
	ET_AUTO_FREE double *y = et_calloc(n + 1, sizeof(*y));

	if (!n)
		return out;
	locate(x, n, y, &out);
	if (n < ET_SEQUENCE_LEAST || !(out.error > 0)) /* values that do not vary show nothing */
		return out;
	out.inflation = inflation(y, n);
	double independent = independent_of(n, out.inflation), doubt = doubt_of(n);
	out.error *= sqrt(out.inflation);
	double half = et_sequence_width(independent, 1 - (1 - level) / doubt) * out.error;
	out.lo = out.location - half;
	out.hi = out.location + half;
	out.e = et_sequence_evidence(out.location / out.error, independent) / doubt;
	out.p = fmin(1, 1 / out.e);
	return out;
}
