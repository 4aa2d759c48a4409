/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/samplesize.h"
#include "num/dist.h"
#include "num/mean_interval.h"
#include "num/moments.h"

#include <math.h>
#include <string.h>

static const double CLOSE = 0.25, ALPHA = 0.01;
static const double MOST_RUNS = 1e15; /* a larger number is of no use */

static size_t count_outliers(const double *x, size_t n, double mean, double sd)
{
	size_t outside = 0;

	for (size_t i = 0; i < n; i++)
		outside += fabs(x[i] - mean) > 2 * sd;
	return outside;
}

/* Judges all successive parts of s->n values; an incomplete part at the end is ignored. */
static void compare_parts(const double *x, const struct et_samplesize *whole, struct et_size *s)
{
	double off = 0, between = 0, within = 0, n = (double)s->n;
	double parts, all_mean;

	s->parts = whole->n / s->n;
	parts = (double)s->parts;
	all_mean = et_mean(x, s->parts * s->n);
	for (size_t i = 0; i < s->parts; i++) {
		double mean = et_mean(x + i * s->n, s->n), sd = et_sd(x + i * s->n, s->n);
		off += (sd - whole->sd) * (sd - whole->sd);
		between += n * (mean - all_mean) * (mean - all_mean);
		within += (n - 1) * sd * sd;
	}
	s->sd_off = whole->sd > 0 ? sqrt(off / parts) / whole->sd : 0;
	s->p = NAN;
	if (s->parts > 1 && within > 0)
		s->p = et_pf_upper((between / (parts - 1)) / (within / (parts * (n - 1))),
			parts - 1, parts * (n - 1));
	s->represents = s->sd_off <= CLOSE && !(s->p < ALPHA);
}

static void add_size(const double *x, size_t n, struct et_samplesize *out)
{
	struct et_size *s = &out->sizes[out->n_sizes++];

	*s = (struct et_size){ .n = n, .mean = et_mean(x, n), .sd = et_sd(x, n) };
	s->outliers = count_outliers(x, n, s->mean, s->sd);
	compare_parts(x, out, s);
}

static void recommend(struct et_samplesize *s)
{
	const struct et_size *best = &s->sizes[0];

	for (size_t i = 1; i < s->n_sizes; i++) {
		if (s->sizes[i].represents)
			best = &s->sizes[i];
	}
	s->recommended = best->n;
	if (best->n == s->n)
		snprintf(s->why, sizeof(s->why),
			"no part of the series represents it: parts differ in their spread or "
			"their "
			"means; take more runs, or find out what changes between them");
	else
		snprintf(s->why, sizeof(s->why),
			"the smallest size whose parts (%zu of them) have an sd within 25 %% of "
			"the "
			"whole's (typically %.0f %% off) and means that differ by chance only",
			best->parts, 100 * best->sd_off);
}

void et_samplesize(const double *x, size_t n, double level, struct et_samplesize *out)
{
	size_t size;

	memset(out, 0, sizeof(*out));
	out->n = n;
	out->mean = et_mean(x, n);
	out->sd = et_sd(x, n);
	out->level = level;
	out->autocorrelation = et_autocorrelation(x, n, 1);
	out->inflation = et_mean_interval(x, n, level).inflation;
	for (size = n; size > ET_SIZE_LEAST; size /= 2)
		add_size(x, size, out);
	add_size(x, ET_SIZE_LEAST, out);
	recommend(out);
}

/* The width of the interval by n independent runs. */
static double width_of(const struct et_samplesize *s, double n)
{
	return 2 * et_qt(0.5 + s->level / 2, n - 1) * s->sd / sqrt(n) / fabs(s->mean);
}

static double independent_runs(const struct et_samplesize *s, double relative_width)
{
	double lo = 1, hi = 2;

	/* Doubling, then bisection: the width decreases with the number of runs. */
	while (hi < MOST_RUNS && !(width_of(s, hi) <= relative_width)) {
		lo = hi;
		hi *= 2;
	}
	while (hi < MOST_RUNS && hi - lo > 1) {
		double middle = floor((lo + hi) / 2);
		if (width_of(s, middle) <= relative_width)
			hi = middle;
		else
			lo = middle;
	}
	return hi < MOST_RUNS ? hi : INFINITY;
}

void et_samplesize_width(struct et_samplesize *s, double relative_width)
{
	double n = independent_runs(s, relative_width);

	s->widths[s->n_widths].relative_width = relative_width;
	s->widths[s->n_widths].independent = n;
	s->widths[s->n_widths++].n = s->inflation > 1 ? ceil(n * s->inflation) : n;
}
