/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/bootstrap_median.h"

#include "base/alloc.h"
#include "num/quantile.h"
#include "num/resample.h"
#include "num/rng.h"
#include "num/student.h"

#include <math.h>
#include <string.h>

/*
 * P(the k-th smallest of n drawn ranks <= j) = P(Binomial(n, j/n) >= k) = I_{j/n}(k, n-k+1).
 * For n even, given that the lower middle one has rank j, the upper one has at least rank i > j
 * with probability c_j ((n-i+1)/n)^k, k = n/2, where c_j = C(n,k) [(j/n)^k - ((j-1)/n)^k] / P(j):
 * k draws at or below j (one at j), all others at or above i. `scale` is c_j^(-1/k).
 */
struct et_median_law et_median_law(const double *sorted, size_t n)
{
	double size = (double)n, reach = 6 * sqrt(size) + 2; /* 12 standard deviations */
	struct et_median_law law = { .sorted = sorted, .n = n, .middle = (n + 1) / 2 };
	double k = (double)law.middle, before = 0, last;

	law.first = size / 2 - reach < 1 ? 1 : (size_t)(size / 2 - reach);
	last = fmin(size, size / 2 + reach);
	law.count = (size_t)last - law.first + 1;
	law.cumulative = et_alloc(law.count * sizeof(*law.cumulative));
	law.scale = et_alloc(law.count * sizeof(*law.scale));
	for (size_t i = 0; i < law.count; i++) {
		double j = (double)(law.first + i), log_c;

		law.cumulative[i] = i + 1 < law.count ? et_pbeta(j / size, k, size - k + 1) : 1;
		log_c = et_lchoose(size, k) + k * log(j / size) + log(-expm1(k * log1p(-1 / j))) -
			log(law.cumulative[i] - before);
		before = law.cumulative[i];
		law.scale[i] = exp(-log_c / k);
	}
	return law;
}

void et_median_law_free(struct et_median_law *law)
{
	free(law->cumulative);
	free(law->scale);
}

static size_t find(const double *cumulative, size_t n, double u)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (cumulative[mid] > u)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void et_median_draw(const struct et_median_law *law, uint64_t seed, uint64_t stream,
	double *medians, size_t count)
{
	double size = (double)law->n, k = (double)law->middle;
	struct et_rng rng;

	et_rng_seed(&rng, seed, stream);
	for (size_t r = 0; r < count; r++) {
		size_t i = find(law->cumulative, law->count, et_rng_uniform(&rng));
		size_t lower = law->first + i, upper = lower;

		if (law->n % 2 == 0) {
			double part = pow(1 - et_rng_uniform(&rng), 1 / k) * law->scale[i];
			double at = floor(size + 1 - size * part);

			if (at > (double)lower)
				upper = (size_t)fmin(at, size);
		}
		medians[r] = lower == upper ? law->sorted[lower - 1]
					    : (law->sorted[lower - 1] + law->sorted[upper - 1]) / 2;
	}
}

/* McKean & Schrader (1984): half the length of a 99 % order-statistic interval, over its z. */
static const double wide_z = 2.5758293035489004;

static size_t outer_rank(size_t n)
{
	double k = round((double)(n + 1) / 2 - wide_z * sqrt((double)n / 4));

	return k < 1 ? 1 : (size_t)k;
}

double et_median_error(const double *sorted, size_t n)
{
	size_t k = outer_rank(n);

	return (sorted[n - k] - sorted[k - 1]) / (2 * wide_z);
}

/* Counts how often each value is drawn; then walks to the four order statistics that matter. */
static void resample_once(struct et_lanes *lanes, const double *sorted, size_t n, uint32_t *times,
	const size_t ranks[4], double found[4])
{
	size_t seen = 0, next = 0;
	uint32_t index[ET_LANE_DRAWS];

	memset(times, 0, n * sizeof(*times));
	for (size_t i = 0; i < n; i += ET_LANE_DRAWS) {
		size_t m = n - i < ET_LANE_DRAWS ? n - i : ET_LANE_DRAWS;

		et_lanes_draw(lanes, (uint32_t)n, index);
		for (size_t d = 0; d < m; d++)
			times[index[d]]++;
	}
	for (size_t i = 0; i < n && next < 4; i++) {
		seen += times[i];
		while (next < 4 && seen >= ranks[next])
			found[next++] = sorted[i];
	}
}

void et_median_resample(const double *sorted, size_t n, uint64_t seed, uint64_t stream,
	double *medians, double *t, size_t count)
{
	ET_AUTO_FREE uint32_t *times = et_alloc(n * sizeof(*times));
	size_t k = outer_rank(n), ranks[4] = { k, (n + 1) / 2, n / 2 + 1, n + 1 - k };
	double estimate = et_median_sorted(sorted, n), found[4] = { 0 };
	struct et_lanes lanes;

	et_lanes_seed(&lanes, seed, stream);
	for (size_t r = 0; r < count; r++) {
		resample_once(&lanes, sorted, n, times, ranks, found);
		medians[r] = (found[1] + found[2]) / 2;
		t[r] = medians[r] == estimate
			       ? 0
			       : (medians[r] - estimate) / ((found[3] - found[0]) / (2 * wide_z));
	}
}

double et_acceleration_median(const double *sorted, size_t n)
{
	size_t half = n / 2;
	double low, high, mid, below = (double)half, mean, l[3], squares, cubes;

	if (n % 2 == 0 || n < 3)
		return 0; /* each half's removal moves the median as far as the other's */
	low = (sorted[half] + sorted[half + 1]) / 2;     /* one of the lower half is left out */
	high = (sorted[half - 1] + sorted[half]) / 2;    /* one of the upper half */
	mid = (sorted[half - 1] + sorted[half + 1]) / 2; /* the median itself */
	mean = (below * low + below * high + mid) / (double)n;
	l[0] = mean - low;
	l[1] = mean - high;
	l[2] = mean - mid;
	squares = below * (l[0] * l[0] + l[1] * l[1]) + l[2] * l[2];
	cubes = below * (l[0] * l[0] * l[0] + l[1] * l[1] * l[1]) + l[2] * l[2] * l[2];
	return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}
