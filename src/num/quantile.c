/* SPDX-License-Identifier: MIT */
#include "num/quantile.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

double *et_sorted_copy(const double *x, size_t n)
{
	double *s = et_alloc(n * sizeof(*s));

	if (n)
		memcpy(s, x, n * sizeof(*s));
	et_sort(s, n);
	return s;
}

/* Interpolates between the j-th smallest value (from 1, clamped) and the next, by h of the way. */
static double between(const double *sorted, size_t n, double j, double h)
{
	double lo = sorted[j < 1 ? 0 : j > (double)n ? n - 1 : (size_t)j - 1];
	double hi = sorted[j < 0 ? 0 : j + 1 > (double)n ? n - 1 : (size_t)j];

	if (h == 0 || lo == hi)
		return lo;
	return h == 1 ? hi : (1 - h) * lo + h * hi;
}

double et_quantile_sorted(const double *sorted, size_t n, double p)
{
	double index, j;

	if (!n)
		return NAN;
	index = 1 + (double)(n - 1) * p;
	j = floor(index);
	return between(sorted, n, j, index - j);
}

double et_median_sorted(const double *sorted, size_t n)
{
	if (!n)
		return NAN;
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double et_mad_sorted(const double *sorted, size_t n)
{
	ET_AUTO_FREE double *d = et_alloc(n * sizeof(*d));
	double median = et_median_sorted(sorted, n);

	for (size_t i = 0; i < n; i++)
		d[i] = fabs(sorted[i] - median);
	et_sort(d, n);
	return 1.4826 * et_median_sorted(d, n);
}
