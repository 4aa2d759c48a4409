/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Insertion sort of random integers: about n²/4 moves, branches that the CPU predicts well, data
 * that fit into a cache unless n is above some 100 000. The work must not allocate or make a system
 * call.
 */
#include "put/work.h"

/* SplitMix64 (Steele, Lea and Flood 2014): the seed determines the whole sequence. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void et_random_ints(int32_t *out, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (int32_t)(next_random(&seed) >> 33); /* 0 to 2³¹−1 */
}

void et_random_digits(int32_t *out, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (int32_t)((next_random(&seed) >> 32) * ET_DIGITS >> 32);
}

void et_insertion_sort(int32_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int32_t value = a[i];
		size_t k = i;
		for (; k > 0 && a[k - 1] > value; k--)
			a[k] = a[k - 1];
		a[k] = value;
	}
}
