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
