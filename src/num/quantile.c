/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/quantile.h"

#include "base/alloc.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { RADIX_FROM = 1 << 14, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6 };

/* Doubles as integers that are in the same order, and back. */
static uint64_t to_key(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof(u));
	return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}

static double from_key(uint64_t key)
{
	uint64_t u = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
	double x;

	memcpy(&x, &u, sizeof(x));
	return x;
}

/* One pass by the digit at shift; false when all have the same and nothing moved. */
static bool pass(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
	size_t start[DIGITS] = { 0 };
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		start[from[i] >> shift & (DIGITS - 1)]++;
	if (start[from[0] >> shift & (DIGITS - 1)] == n)
		return false;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = start[d];
		start[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

/* From the least digit up: time in proportion to n, 16 bytes a value more. */
static void radix_sort(double *x, size_t n)
{
	ET_AUTO_FREE uint64_t *keys = et_alloc(2 * n * sizeof(*keys));
	uint64_t *from = keys, *to = keys + n;

	for (size_t i = 0; i < n; i++)
		from[i] = to_key(x[i]);
	for (unsigned p = 0; p < PASSES; p++) {
		if (pass(from, to, n, p * DIGIT_BITS)) {
			uint64_t *swap = from;
			from = to;
			to = swap;
		}
	}
	for (size_t i = 0; i < n; i++)
		x[i] = from_key(from[i]);
}

void et_sort(double *x, size_t n)
{
	if (n >= RADIX_FROM)
		radix_sort(x, n);
	else if (n > 1)
		qsort(x, n, sizeof(*x), by_value);
}

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
