/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the kernels: their functions, random numbers, and sums in a fixed order. */
#pragma once

#include "put/kernel.h"

et_kernel_run et_kernel_ep, et_kernel_cg, et_kernel_is, et_kernel_mg, et_kernel_ft;
et_kernel_run et_kernel_bt, et_kernel_lu, et_kernel_sp, et_kernel_ua, et_kernel_dc;

/* Parts of a sum, and of other work that is divided independently of the number of threads. */
enum { ET_PARTS = 128 };

/* The first index of a part of n elements; that of part ET_PARTS is n. */
static inline size_t et_part_begin(size_t n, unsigned part)
{
	return n / ET_PARTS * part + n % ET_PARTS * part / ET_PARTS;
}

/*
 * The i-th number of a sequence (SplitMix64 of Steele, Lea and Flood 2014). Any thread can compute
 * any of them.
 */
static inline uint64_t et_hash(uint64_t seed, uint64_t i)
{
	uint64_t z = (seed << 40) + (i + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Likewise, between 0 and 1, both excluded. */
static inline double et_uniform(uint64_t seed, uint64_t i)
{
	return ((double)(et_hash(seed, i) >> 11) + 0.5) * 0x1p-53;
}

/* Returns the sum of the products of n elements. */
double et_dot(const double *a, const double *b, size_t n);
/* The low 50 bits of a checksum: a double holds them exactly. */
static inline double et_checksum(uint64_t sum)
{
	return (double)(sum & ((UINT64_C(1) << 50) - 1));
}
