/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sort in n log n, as qsort of the C library: merge sort, which moves n numbers log2 n times,
 * rounded up. No branch depends on the data, so that a move takes the same time for every n whose
 * numbers are in a cache. The work must not allocate or make a system call.
 */
#include "put/work.h"

/* Merges the sorted a[lo … mid) and a[mid … hi) into b. */
static void merge(const int32_t *a, int32_t *b, size_t lo, size_t mid, size_t hi)
{
	size_t i = lo, j = mid;

	for (size_t k = lo; k < hi; k++) {
		/* A part that is used up is not read beyond its end. */
		int32_t left = a[i < mid ? i : lo], right = a[j < hi ? j : lo];
		unsigned take = (unsigned)(j >= hi) | ((unsigned)(i < mid) & (left <= right));

		b[k] = take ? left : right;
		i += take;
		j += !take;
	}
}

int32_t *et_merge_sort(int32_t *a, int32_t *b, size_t n)
{
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * width) {
			size_t mid = lo + width < n ? lo + width : n;
			size_t hi = mid + width < n ? mid + width : n;

			merge(a, b, lo, mid, hi);
		}
		int32_t *merged = b;
		b = a;
		a = merged;
	}
	return a;
}
