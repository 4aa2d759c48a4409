/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/modes.h"

#include "num/moments.h"
#include "num/quantile.h"

#include "base/alloc.h"
#include "base/whole.h"

#include <math.h>
#include <stdbool.h>

/*
 * Distances in bandwidths beyond which a kernel is below the smallest double, and below the last
 * digit of a sum.
 */
static const double whole_reach = 39, short_reach = 9;

double et_bw_nrd0(const double *sorted, size_t n)
{
	double hi = et_sd(sorted, n), lo;

	if (n < 2)
		return NAN;
	lo = (et_quantile_sorted(sorted, n, 0.75) - et_quantile_sorted(sorted, n, 0.25)) / 1.34;
	lo = fmin(hi, lo);
	if (lo == 0)
		lo = hi != 0 ? hi : sorted[0] != 0 ? fabs(sorted[0]) : 1;
	return 0.9 * lo * pow((double)n, -0.2);
}

/* The first of n sorted values that is not below v. */
static size_t lower_bound(const double *sorted, size_t n, double v)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sorted[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Sum of w_i phi((at - x_i) / bw); every weight is 1 without weights. */
static double kernel_sum(
	const double *x, const double *weight, size_t n, double bw, double at, double reach)
{
	double sum = 0;

	for (size_t i = lower_bound(x, n, at - reach * bw); i < n && x[i] <= at + reach * bw; i++) {
		double u = (at - x[i]) / bw;

		sum += (weight ? weight[i] : 1) * exp(-0.5 * u * u);
	}
	return sum;
}

static double kernel_scale(size_t n, double bw)
{
	return 0.39894228040143267794 / ((double)n * bw); /* 1 / sqrt(2 pi) */
}

enum { MOST_DIRECT = 20000, BINS = 8192 };

/* Replaces many values by weights on a grid far finer than the bandwidth (linear binning). */
static void bin(const double *sorted, size_t n, double *centre, double *weight)
{
	double lo = sorted[0], step = (sorted[n - 1] - lo) / (BINS - 1);

	for (size_t b = 0; b < BINS; b++) {
		centre[b] = lo + (double)b * step;
		weight[b] = 0;
	}
	for (size_t i = 0; i < n; i++) {
		double at = (sorted[i] - lo) / step;
		size_t b = at >= BINS - 1 ? BINS - 2 : et_u64(at);

		weight[b] += 1 - (at - (double)b);
		weight[b + 1] += at - (double)b;
	}
}

void et_kde(const double *sorted, size_t n, double quantum, struct et_kde *out)
{
	ET_AUTO_FREE double *binned = NULL;
	const double *x = sorted, *weight = NULL;
	double reach = n > MOST_DIRECT ? short_reach : whole_reach;
	size_t m = n;

	out->bw = fmax(et_bw_nrd0(sorted, n), quantum / 2);
	out->lo = sorted[0] - 3 * out->bw;
	out->step = (sorted[n - 1] + 3 * out->bw - out->lo) / (ET_KDE_POINTS - 1);
	/* A bin must be a small part of a bandwidth, which heavy tails can prevent. */
	if (n > MOST_DIRECT && sorted[n - 1] - sorted[0] < out->bw * (BINS / 16)) {
		binned = et_alloc(2 * BINS * sizeof(*binned));
		bin(sorted, n, binned, binned + BINS);
		x = binned;
		weight = binned + BINS;
		m = BINS;
	}
	for (size_t i = 0; i < ET_KDE_POINTS; i++) {
		double at = out->lo + (double)i * out->step;

		out->density[i] =
			kernel_sum(x, weight, m, out->bw, at, reach) * kernel_scale(n, out->bw);
	}
}

/* The lowest density between a peak and the next higher one (or the end), in one direction. */
static size_t valley(const struct et_kde *k, size_t peak, int step)
{
	size_t lowest = peak;

	for (size_t i = peak; i < ET_KDE_POINTS && k->density[i] <= k->density[peak]; i += step) {
		if (k->density[i] < k->density[lowest])
			lowest = i;
		if (i == 0 && step < 0)
			break;
	}
	return lowest;
}

static bool is_peak(const struct et_kde *k, size_t i)
{
	double left = i ? k->density[i - 1] : 0;
	double right = i + 1 < ET_KDE_POINTS ? k->density[i + 1] : 0;

	return k->density[i] > left && k->density[i] >= right;
}

static double grid_at(const struct et_kde *k, size_t i)
{
	return k->lo + (double)i * k->step;
}

size_t et_modes(const struct et_kde *kde, const double *sorted, size_t n, double prominence,
	struct et_mode *modes, size_t most)
{
	size_t count = 0, begin = 0;
	double highest = 0;
	size_t peaks[ET_KDE_POINTS];

	for (size_t i = 0; i < ET_KDE_POINTS; i++)
		highest = fmax(highest, kde->density[i]);
	for (size_t i = 0; i < ET_KDE_POINTS; i++) {
		double saddle =
			fmax(kde->density[valley(kde, i, -1)], kde->density[valley(kde, i, 1)]);

		if (is_peak(kde, i) && kde->density[i] - saddle >= prominence * highest)
			peaks[count++] = i;
	}
	for (size_t m = 0; m < count && m < most; m++) {
		size_t end = n, lowest = peaks[m];
		double d = kde->density[peaks[m]];

		if (m + 1 < count) {
			for (size_t i = peaks[m]; i < peaks[m + 1]; i++)
				if (kde->density[i] < kde->density[lowest])
					lowest = i;
			end = lower_bound(sorted, n, grid_at(kde, lowest));
		}
		modes[m] = (struct et_mode){
			.at = grid_at(kde, peaks[m]),
			.density = d,
			.prominence = (d - fmax(kde->density[valley(kde, peaks[m], -1)],
						   kde->density[valley(kde, peaks[m], 1)])) /
				      highest,
			.share = (double)(end - begin) / (double)n,
		};
		begin = end;
	}
	return count;
}
