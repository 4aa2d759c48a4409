/* SPDX-License-Identifier: MIT */
/* Subtraction and comparison of unsigned figures such as nanoseconds. */
#pragma once

#include <stdint.h>

/* a - b, or 0 if b is larger, which may happen if the two come from different clocks. */
static inline uint64_t et_minus_u64(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Compares two uint64_t for qsort(), ascending. */
static inline int et_ascending_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}
