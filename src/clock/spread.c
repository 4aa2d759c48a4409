/* SPDX-License-Identifier: MIT */
#include "clock/spread.h"
#include "num/quantile.h"

#include <math.h>

size_t et_median_rank(size_t n)
{
	static const double TAIL = 0.025;
	/* From here on 2^-n is less than a double can hold, and the normal law is close. */
	const size_t most = 1000;

	if (n > most)
		return (size_t)(((double)n + 1) / 2 - 0.98 * sqrt((double)n));
	/* The r-th smallest is above the median if fewer than r values are below it. */
	double chance = pow(0.5, (double)n), below = 0;
	size_t r = 0;
	while (r < n && below + chance <= TAIL) {
		below += chance;
		chance *= (double)(n - r) / (double)(r + 1);
		r++;
	}
	return r;
}

struct et_spread et_spread_of(double *x, size_t n)
{
	struct et_spread s = { n, NAN, NAN, NAN, NAN, NAN, NAN };
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
