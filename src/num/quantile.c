/* SPDX-License-Identifier: MIT */
#include "num/quantile.h"

#include "base/alloc.h"
#include "base/doubles.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * Few values are sorted by qsort, many by a radix sort of their bits, which is three to four times
 * as fast but needs twice the memory meanwhile.
 */
enum { FEW = 2000, DIGIT = 11, BUCKETS = 1 << DIGIT, PASSES = 6 };

/* Maps the bits of a double to an unsigned number of the same order, and back. */
static inline uint64_t key_of(uint64_t bits)
{
	return bits ^ (-(bits >> 63) | UINT64_C(1) << 63);
}

static inline uint64_t bits_of(uint64_t key)
{
	return key ^ ((key >> 63) - 1) ^ (UINT64_C(1) << 63 & -(key >> 63));
}

static inline size_t digit(uint64_t key, size_t pass)
{
	return key >> pass * DIGIT & (BUCKETS - 1);
}

/* One pass of a stable radix sort, least digit first. Returns 0 if all digits are equal. */
static int pass_over(const uint64_t *from, uint64_t *to, size_t n, size_t pass, size_t *count)
{
	size_t sum = 0;

	if (count[digit(from[0], pass)] == n)
		return 0;
	for (size_t b = 0; b < BUCKETS; b++) {
		size_t here = count[b];

		count[b] = sum;
		sum += here;
	}
	for (size_t i = 0; i < n; i++)
		to[count[digit(from[i], pass)]++] = from[i];
	return 1;
}

static void radix_sort(double *x, size_t n)
{
	ET_AUTO_FREE uint64_t *a = et_alloc(n * sizeof(*a)), *b = et_alloc(n * sizeof(*b));
	ET_AUTO_FREE size_t *count = et_calloc(PASSES * BUCKETS, sizeof(*count));
	uint64_t *from = a, *to = b;

	memcpy(a, x, n * sizeof(*a));
	for (size_t i = 0; i < n; i++) {
		a[i] = key_of(a[i]);
		for (size_t p = 0; p < PASSES; p++)
			count[p * BUCKETS + digit(a[i], p)]++;
	}
	for (size_t p = 0; p < PASSES; p++)
		if (pass_over(from, to, n, p, count + p * BUCKETS)) {
			uint64_t *t = from;

			from = to;
			to = t;
		}
	for (size_t i = 0; i < n; i++)
		from[i] = bits_of(from[i]);
	memcpy(x, from, n * sizeof(*from));
}

void et_sort(double *x, size_t n)
{
	if (n > FEW)
		radix_sort(x, n);
	else if (n > 1)
		qsort(x, n, sizeof(*x), et_ascending);
}

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

double et_median(double *x, size_t n)
{
	et_sort(x, n);
	return et_median_sorted(x, n);
}

double et_mad_sorted(const double *sorted, size_t n)
{
	ET_AUTO_FREE double *d = et_alloc(n * sizeof(*d));
	double median = et_median_sorted(sorted, n);

	for (size_t i = 0; i < n; i++)
		d[i] = fabs(sorted[i] - median);
	return 1.4826 * et_median(d, n);
}
