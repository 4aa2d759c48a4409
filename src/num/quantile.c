/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/quantile.h"

#include "base/alloc.h"

#include <assert.h>
#include <float.h>
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

/* The value h of the way from the j-th smallest (from 1; outside is clamped) to the next. */
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

/* Types 4, 5, 6, 8, 9: the plotting position's a and b (a = b but for type 4). */
static const double position[10][2] = { [4] = { 0, 1 },
	[5] = { 0.5, 0.5 },
	[6] = { 0, 0 },
	[8] = { 1.0 / 3, 1.0 / 3 },
	[9] = { 3.0 / 8, 3.0 / 8 } };

double et_quantile_type_sorted(const double *sorted, size_t n, double p, int type)
{
	/* as R: an index that rounding left just below a whole number counts as that number */
	double fuzz = 4 * DBL_EPSILON, at, j, h, size = (double)n;

	assert(type >= 1 && type <= 9);
	if (type == 7 || !n)
		return et_quantile_sorted(sorted, n, p);
	if (type <= 3) {
		at = type == 3 ? size * p - 0.5 : size * p;
		j = floor(at + fuzz);
		h = at > j + fuzz;
		if (type == 2 && h == 0)
			h = 0.5;
		if (type == 3 && h == 0)
			h = fmod(j, 2) == 1; /* to the even order statistic */
		return between(sorted, n, j, h);
	}
	at = position[type][0] + p * (size + 1 - position[type][0] - position[type][1]);
	j = floor(at + fuzz);
	h = fabs(at - j) < fuzz ? 0 : at - j;
	return between(sorted, n, j, h);
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
