/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hartigan & Hartigan (1985), "The dip test of unimodality", computed as in Hartigan (1985),
 * algorithm AS 217: the greatest convex minorant and the least concave majorant of the empirical
 * distribution close in on the modal interval from both sides.
 * Heights are counted in observations; the statistic is the largest gap over 2n.
 */
#include "base/whole.h"
#include "stats/series/diagnosis.h"
#include "stats/series/dip_table.h"

struct hulls {
	const double *x; /* sorted */
	size_t n;
	size_t *below,
		*above;    /* the next knot down the minorant, up the majorant, from each value */
	size_t *gcm, *lcm; /* knots between low and high: falling, rising */
	size_t n_gcm, n_lcm;
};

/* Where the chord from j leads: knots that would break the hull's convexity are passed over. */
static void link_hull(const double *x, size_t n, bool upwards, size_t *next)
{
	size_t end = upwards ? n - 1 : 0, step = upwards ? (size_t)-1 : 1, j = end;

	next[j] = j;
	for (size_t i = 1; i < n; i++) {
		size_t knot, far;

		j += step;
		next[j] = j - step;
		for (;;) {
			double a, b;

			knot = next[j];
			far = next[knot];
			a = (double)knot - (double)far;
			b = (double)j - (double)knot;
			if (knot == end || (x[j] - x[knot]) * a < (x[knot] - x[far]) * b)
				break;
			next[j] = far;
		}
	}
}

static size_t walk(const size_t *next, size_t from, size_t to, size_t *knots)
{
	size_t n = 0;

	for (knots[n] = from; knots[n] != to; n++)
		knots[n + 1] = next[knots[n]];
	return n + 1;
}

/* Height of the chord between knots a and b of the data, at value x[i]. */
static double chord(const double *x, size_t a, size_t b, size_t i)
{
	return (x[i] - x[a]) * ((double)b - (double)a) / (x[b] - x[a]);
}

/*
 * The largest distance between the two hulls; *ig and *ih are the knots that bound the modal
 * interval there. The lists are walked together, from low to high.
 */
static double largest_gap(const struct hulls *h, size_t *ig, size_t *ih)
{
	size_t ix = h->n_gcm - 2, iv = 1;
	double gap = 0;

	*ig = h->n_gcm - 1;
	*ih = h->n_lcm - 1;
	if (h->n_gcm == 2 && h->n_lcm == 2)
		return 1;
	do {
		size_t g = h->gcm[ix], l = h->lcm[iv];
		double d;

		if (g > l) { /* the next knot is the majorant's */
			size_t from = h->gcm[ix + 1];

			d = ((double)l - (double)from + 1) - chord(h->x, from, g, l);
			iv++;
			if (d >= gap) {
				gap = d;
				*ig = ix + 1;
				*ih = iv - 1;
			}
		} else {
			size_t from = h->lcm[iv - 1];

			d = chord(h->x, from, l, g) - ((double)g - (double)from - 1);
			if (d >= gap) {
				gap = d;
				*ig = ix;
				*ih = iv;
			}
			ix -= ix > 0;
		}
		if (iv >= h->n_lcm)
			iv = h->n_lcm - 1;
	} while (h->gcm[ix] != h->lcm[iv]);
	return gap;
}

/* The farthest that the data stray from the chord a-b: above it (minorant) or below it. */
static double stray(const double *x, size_t a, size_t b, bool above)
{
	double most = 1;

	if (b - a <= 1 || x[a] == x[b])
		return most;
	for (size_t i = a; i <= b; i++) {
		double up = ((double)(i - a) + 1) - chord(x, a, b, i);

		most = fmax(most, above ? up : 2 - up);
	}
	return most;
}

static double modal_search(struct hulls *h)
{
	size_t low = 0, high = h->n - 1, ig, ih;
	double dip = 1;

	for (;;) {
		h->n_gcm = walk(h->below, high, low, h->gcm);
		h->n_lcm = walk(h->above, low, high, h->lcm);
		if (largest_gap(h, &ig, &ih) < dip)
			return dip;
		for (size_t j = ig; j + 1 < h->n_gcm; j++)
			dip = fmax(dip, stray(h->x, h->gcm[j + 1], h->gcm[j], true));
		for (size_t j = ih; j + 1 < h->n_lcm; j++)
			dip = fmax(dip, stray(h->x, h->lcm[j], h->lcm[j + 1], false));
		if (low == h->gcm[ig] && high == h->lcm[ih])
			return dip;
		low = h->gcm[ig];
		high = h->lcm[ih];
	}
}

static double dip_statistic(const double *sorted, size_t n)
{
	ET_AUTO_FREE size_t *memory = et_alloc(4 * n * sizeof(*memory));
	struct hulls h = { .x = sorted,
		.n = n,
		.below = memory,
		.above = memory + n,
		.gcm = memory + 2 * n,
		.lcm = memory + 3 * n };

	if (n < 2 || sorted[0] == sorted[n - 1])
		return 0.5 / (double)n;
	link_hull(sorted, n, false, h.below);
	link_hull(sorted, n, true, h.above);
	return modal_search(&h) / (2 * (double)n);
}

/* As diptest: sqrt(n) D interpolated by sizes, then probabilities; the mean of those that tie. */
static double dip_p(double dip, size_t n)
{
	double q[DIP_PROBS], prob[DIP_PROBS], d = sqrt((double)n) * dip, part = 0;
	size_t row = DIP_SIZES - 1, next = row, m = 0;

	if (n < dip_sizes[0])
		return 1;
	if (n < dip_sizes[row]) {
		for (row = 0; dip_sizes[row + 1] <= n;)
			row++;
		next = row + 1;
		part = (double)(n - dip_sizes[row]) / (double)(dip_sizes[next] - dip_sizes[row]);
	}
	for (size_t i = 0; i < DIP_PROBS; i++) {
		double lo = sqrt((double)dip_sizes[row]) * dip_quantiles[row][i];
		double hi = sqrt((double)dip_sizes[next]) * dip_quantiles[next][i];

		q[i] = lo + part * (hi - lo);
	}
	for (size_t i = 0, j; i < DIP_PROBS; i = j) {
		double sum = 0;

		for (j = i; j < DIP_PROBS && q[j] == q[i]; j++)
			sum += dip_probs[j];
		q[m] = q[i];
		prob[m++] = sum / (double)(j - i);
	}
	if (d <= q[0])
		return 1 - prob[0];
	for (size_t i = 1; i < m; i++)
		if (d <= q[i])
			return 1 - (prob[i - 1] + (d - q[i - 1]) / (q[i] - q[i - 1]) *
							  (prob[i] - prob[i - 1]));
	return 0;
}

struct et_dip et_dip(const double *x, size_t n)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	struct et_dip out = { NAN, NAN };

	if (n) {
		out.statistic = dip_statistic(sorted, n);
		out.p = dip_p(out.statistic, n);
	}
	return out;
}

/* --- density --- */

/* Beyond these bandwidths a kernel is below the smallest double, and the last digit of a sum. */
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
	double scale = 0.39894228040143267794 / ((double)n * out->bw); /* 1 / sqrt(2 pi) */
	for (size_t i = 0; i < ET_KDE_POINTS; i++) {
		double at = out->lo + (double)i * out->step;

		out->density[i] = kernel_sum(x, weight, m, out->bw, at, reach) * scale;
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
			.share = (double)(end - begin) / (double)n,
		};
		begin = end;
	}
	return count;
}
