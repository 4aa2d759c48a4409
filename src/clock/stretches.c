/* SPDX-License-Identifier: MIT */
#include "clock/stretches.h"
#include "num/quantile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No interrupt of an ordinary machine takes this long; a stretch of another thread does. */
static const double PREEMPTED_NS = 200000;
static const double SHORTEST_NS = 1000, LONGEST_NS = 1e9;

enum { STARTS = 1000, PER_DECADE = 10 };

/* Sums of the gaps before each, so that any range is a difference of two. */
struct series {
	const struct et_lost *gaps;
	const double *before;
	size_t n;
	double ran_ns;
};

/* Returns the number of gaps that occur after at most this much running time. */
static size_t up_to(const struct series *s, double ns)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->gaps[mid].after_ns <= ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct et_stretch_row row_of(const struct series *s, double length_ns)
{
	/* Multiples of the golden ratio are spread evenly, and never in step with a timer. */
	static const double GOLDEN = 0.61803398874989485;
	struct et_stretch_row row = { .length_ns = length_ns };
	double loss[STARTS], sum = 0, whole;
	size_t fit = 0;

	for (size_t i = 0; i < STARTS; i++) {
		double start = (s->ran_ns - length_ns) * modf((double)i * GOLDEN, &whole);
		loss[i] = (s->before[up_to(s, start + length_ns)] - s->before[up_to(s, start)]) /
			  length_ns;
		sum += loss[i];
		fit += loss[i] <= ET_STRETCH_LOSS;
	}
	row.fits = (double)fit / STARTS;
	et_sort(loss, STARTS);
	row.best = et_quantile_sorted(loss, STARTS, 0.2);
	row.mean = sum / STARTS;
	return row;
}

static int find_slices(const struct et_lost *gaps, size_t n, struct et_stretches *out)
{
	double *slices = malloc((n + 1) * sizeof(*slices)), last = NAN;
	size_t m = 0;

	if (!slices)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (gaps[i].ns < PREEMPTED_NS)
			continue;
		out->preempted++;
		if (!isnan(last))
			slices[m++] = gaps[i].after_ns - last;
		last = gaps[i].after_ns;
	}
	out->slice = et_spread_of(slices, m);
	free(slices);
	return 0;
}

int et_stretches_of(const struct et_lost *gaps, size_t n, double ran_ns, double cpu_ns,
	struct et_stretches *out)
{
	double *before = malloc((n + 1) * sizeof(*before));

	memset(out, 0, sizeof(*out));
	if (!before)
		return -ENOMEM;
	before[0] = 0;
	for (size_t i = 0; i < n; i++)
		before[i + 1] = before[i] + gaps[i].ns;
	out->ran_ns = ran_ns;
	out->lost_ns = before[n];
	out->cpu_ns = cpu_ns;
	const struct series s = { gaps, before, n, ran_ns };
	double most = fmin(ran_ns / 4, LONGEST_NS);
	while (out->n_rows < ET_STRETCH_ROWS) {
		double length = SHORTEST_NS * pow(10, (double)out->n_rows / PER_DECADE);
		if (length > most * (1 + 1e-9))
			break;
		out->rows[out->n_rows++] = row_of(&s, length);
	}
	free(before);
	return find_slices(gaps, n, out);
}
