/* SPDX-License-Identifier: MIT */
#include "clock/phase.h"
#include "num/quantile.h"

#include <math.h>

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
