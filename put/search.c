/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binary search: log2 n steps for each look-up, rounded up. The steps have no branch that depends
 * on the data, and each look-up waits for the one before, so that the time of a step is the same
 * for every n whose array is in the first cache (up to some 8000). The work must not allocate or
 * make a system call.
 */
#include "put/work.h"

void et_fill_sorted(int32_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (int32_t)(3 * i);
}

/* Returns the index of a key that is there. */
static size_t find(const int32_t *a, size_t n, int32_t key)
{
	size_t at = 0;

	for (size_t half; n > 1; n -= half) {
		half = n / 2;
		at += half & -(size_t)(a[at + half - 1] < key); /* compilers branch at ?: */
	}
	return at;
}

/* The generator is that of Knuth's MMIX. */
uint64_t et_search(const int32_t *a, size_t n, uint64_t seed, uint64_t times)
{
	uint64_t sum = 0;

	for (; times; times--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint64_t index = (seed >> 32) * n >> 32;
		uint64_t found = find(a, n, (int32_t)(3 * index));
		sum += found;
		seed += found - index; /* 0, which the CPU does not know before */
	}
	return sum;
}
