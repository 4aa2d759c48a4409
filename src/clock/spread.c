/* SPDX-License-Identifier: MIT */
#include "clock/spread.h"
#include "num/quantile.h"
#include "num/student.h"

#include <math.h>

size_t et_median_rank(size_t n)
{
	if (!n)
		return 0;
	/* The r-th smallest is above the median if fewer than r values are below it. */
	return (size_t)et_qbinom(0.025, (double)n, 0.5);
}

struct et_clock_spread et_spread_of(double *x, size_t n)
{
	struct et_clock_spread s = { n, NAN, NAN, NAN, NAN, NAN, NAN };
	size_t r = et_median_rank(n);

	if (!n)
		return s;
	et_sort(x, n);
	s.min = x[0];
	s.q1 = et_quantile_sorted(x, n, 0.25);
	s.median = et_median_sorted(x, n);
	s.q3 = et_quantile_sorted(x, n, 0.75);
	if (r) {
		s.lo = x[r - 1];
		s.hi = x[n - r];
	}
	return s;
}

static double reduce(double time, double interval)
{
	double x = fmod(time, interval);

	return x < 0 ? x + interval : x;
}

struct et_phase et_phase_find(double *times, size_t n, double interval, double width)
{
	struct et_phase best = { 0 };
	size_t end = 0;

	for (size_t i = 0; i < n; i++)
		times[i] = reduce(times[i], interval);
	et_sort(times, n);
	/* A window may continue at the beginning of the interval: `end` counts on from n. */
	for (size_t i = 0; i < n; i++) {
		end = end < i ? i : end;
		while (end < i + n && times[end % n] + (end < n ? 0 : interval) <= times[i] + width)
			end++;
		if (end - i <= best.seen)
			continue;
		size_t middle = i + (end - i - 1) / 2;
		best.seen = end - i;
		best.at = times[middle % n];
	}
	return best;
}

bool et_phase_has(double at, double time, double interval, double width)
{
	double apart = fabs(reduce(time - at, interval));

	return fmin(apart, interval - apart) <= width / 2;
}
