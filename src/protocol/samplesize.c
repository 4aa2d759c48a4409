/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/samplesize.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/student.h"
#include "protocol/sanity.h"

static const double CLOSE = 0.25, CLOSE_SHARE = 0.05, ALPHA = 0.01;
static const double MOST_RUNS = 1e15; /* a larger number is of no use */

struct et_sizing et_sizing_of(const struct et_command *c, enum et_metric m)
{
	struct et_sizing all = { .x = et_calloc(c->samples.n + 1, sizeof(*all.x)),
		.spoilt = et_calloc(c->samples.n + 1, sizeof(*all.spoilt)) };
	enum et_arrangement arrangement = et_command_arrangement(c);

	et_for_each_sample(s, &c->samples) {
		uint64_t value = et_sample_metric(s, m);
		enum et_removed_by by = s->ruling.removal.by;
		if (s->place.warmup || by == ET_REMOVED_FAILED || by == ET_REMOVED_STOPPED ||
			s->place.arrangement != arrangement || value == ET_UNKNOWN)
			continue;
		all.spoilt[all.n] = by == ET_REMOVED_DAEMON_CUTOFF;
		all.x[all.n++] = (double)value;
	}
	return all;
}

void et_sizing_free(struct et_sizing *s)
{
	free(s->x);
	free(s->spoilt);
}

size_t et_samplesize_steps(size_t n, size_t out[ET_SIZES_MOST])
{
	static const size_t steps[][4] = { { 40, 30, 20, 10 }, { 40, 20, 10, 5 }, { 25, 10, 5 } };
	const size_t *last = steps[n > 500 ? 0 : n > 40 ? 1 : 2];
	size_t k = 0;

	out[k++] = n;
	for (size_t half = n / 2; half > 50; half /= 2)
		out[k++] = half;
	/* A size near that of the whole would show nothing new. */
	for (size_t i = 0; i < ET_LENGTH(steps[0]); i++) {
		if (last[i] && 3 * last[i] <= 2 * n)
			out[k++] = last[i];
	}
	return k;
}

/* One part of a series after both checks. */
struct part {
	struct et_check_counts outliers;
	size_t left;
	double mean, sd;
};

/* Without the second check only spoilt values are removed. */
static struct part check_part(const struct et_sizing *all, size_t from, size_t n, bool second)
{
	ET_AUTO_FREE double *x = et_calloc(n + 1, sizeof(*x));
	ET_AUTO_FREE bool *outside = et_calloc(n + 1, sizeof(*outside));
	struct part p = { 0 };
	size_t k = 0;

	for (size_t i = from; i < from + n; i++) {
		if (!all->spoilt || !all->spoilt[i])
			x[k++] = all->x[i];
	}
	p.outliers.first = n - k;
	p.outliers.second = second ? et_two_sigma(x, k, outside) : 0;
	for (size_t i = 0; i < k; i++) {
		if (!outside[i])
			x[p.left++] = x[i];
	}
	p.mean = p.left ? et_mean(x, p.left) : 0;
	p.sd = p.left > 1 ? et_sd(x, p.left) : 0;
	return p;
}

static double outlier_share(struct et_check_counts c, size_t n)
{
	return (double)(c.first + c.second) / (double)n;
}

/* The series of which everything is spoilt that the checks of the whole removed. */
static struct et_sizing clean_by_whole(const struct et_sizing *all)
{
	ET_AUTO_FREE double *x = et_calloc(all->n, sizeof(*x));
	ET_AUTO_FREE size_t *at = et_calloc(all->n, sizeof(*at));
	ET_AUTO_FREE bool *outside = et_calloc(all->n, sizeof(*outside));
	struct et_sizing clean = { all->x, et_calloc(all->n, sizeof(bool)), all->n };
	size_t k = 0;

	for (size_t i = 0; i < all->n; i++) {
		clean.spoilt[i] = all->spoilt && all->spoilt[i];
		at[k] = i;
		if (!clean.spoilt[i])
			x[k++] = all->x[i];
	}
	et_two_sigma(x, k, outside);
	for (size_t i = 0; i < k; i++)
		clean.spoilt[at[i]] = outside[i];
	return clean;
}

/* The p-value of an analysis of variance: the check of a part would make its sd too small for it.
 */
static double compare_means(const struct et_sizing *clean, size_t size)
{
	double between = 0, within = 0, sum = 0, values = 0, parts = 0;
	size_t n = clean->n / size;
	ET_AUTO_FREE struct part *list = et_calloc(n, sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		list[i] = check_part(clean, i * size, size, false);
		sum += (double)list[i].left * list[i].mean;
		values += (double)list[i].left;
		parts += list[i].left > 0;
	}
	for (size_t i = 0; i < n; i++) {
		double off = list[i].mean - sum / values, left = (double)list[i].left;
		between += left * off * off;
		within += left > 1 ? (left - 1) * list[i].sd * list[i].sd : 0;
	}
	if (!(parts > 1) || !(values > parts) || !(within > 0))
		return NAN;
	return et_pf_upper(
		(between / (parts - 1)) / (within / (values - parts)), parts - 1, values - parts);
}

/* Judges all successive parts of s->n values; an incomplete part at the end is ignored. */
static void compare_parts(const struct et_sizing *all, const struct et_sizing *clean,
	const struct et_size *whole, struct et_size *s)
{
	double share = outlier_share(whole->outliers, whole->n);

	s->parts = all->n / s->n;
	ET_AUTO_FREE double *off = et_calloc(s->parts, sizeof(*off));
	for (size_t i = 0; i < s->parts; i++) {
		struct part part = check_part(all, i * s->n, s->n, true);
		off[i] = whole->sd > 0 ? fabs(part.sd / whole->sd - 1) : 0;
		s->share += outlier_share(part.outliers, s->n) / (double)s->parts;
	}
	s->sd_off = et_median(off, s->parts);
	s->p = compare_means(clean, s->n);
	s->represents = s->sd_off <= CLOSE && fabs(s->share - share) <= CLOSE_SHARE &&
			!(s->p < ALPHA) && (double)s->n * (1 - share) >= ET_SIZE_LEAST;
}

static void recommend(struct et_samplesize *s)
{
	const struct et_size *whole = &s->sizes[0], *best = whole;

	for (size_t i = 1; i < s->n_sizes; i++) {
		if (s->sizes[i].represents)
			best = &s->sizes[i];
	}
	s->recommended = best->n;
	if (best == whole)
		snprintf(s->why, sizeof(s->why),
			"too few runs: parts of the series differ in their spread, their "
			"outliers or their means; take more runs, or find out what changes between "
			"them");
	else
		snprintf(s->why, sizeof(s->why),
			"the smallest size that represents all %zu: its parts (%zu of them) have "
			"an sd typically %.0f %% off the whole's (at most %.0f %%), %.1f %% "
			"outliers instead of %.1f %%, and means that differ by chance only",
			whole->n, best->parts, 100 * best->sd_off, 100 * CLOSE, 100 * best->share,
			100 * whole->share);
}

void et_samplesize_checked(const struct et_sizing *all, const double *x, size_t n, double level,
	struct et_samplesize *out)
{
	size_t steps[ET_SIZES_MOST], n_steps = et_samplesize_steps(all->n, steps);

	memset(out, 0, sizeof(*out));
	out->n = n;
	out->mean = et_mean(x, n);
	out->sd = et_sd(x, n);
	out->level = level;
	out->autocorrelation = et_autocorrelation(x, n, 1);
	out->inflation = et_mean_interval(x, n, level).inflation;
	struct et_sizing clean = clean_by_whole(all);
	for (size_t i = 0; i < n_steps; i++) {
		struct et_size *s = &out->sizes[out->n_sizes++];
		struct part p = check_part(all, 0, steps[i], true);
		*s = (struct et_size){
			.n = steps[i], .outliers = p.outliers, .mean = p.mean, .sd = p.sd
		};
		compare_parts(all, &clean, &out->sizes[0], s);
	}
	free(clean.spoilt);
	recommend(out);
}

void et_samplesize(const double *x, size_t n, double level, struct et_samplesize *out)
{
	struct et_sizing all = { .x = (double *)x, .n = n };

	et_samplesize_checked(&all, x, n, level, out);
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
