/* SPDX-License-Identifier: MIT */
/*
 * Conversions of a double to a whole number. A cast has no defined result if the number is NaN or
 * out of range, which figures from a file can always be made to be.
 */
#pragma once

#include <stdint.h>

/* Truncates x. Beyond ±10^9 the result is that limit, so that sums do not overflow; NaN gives 0. */
static inline int et_int(double x)
{
	const int most = 1000000000;

	return x >= most ? most : x <= -most ? -most : x == x ? (int)x : 0;
}

/* Truncates x to a number from 0 to INT64_MAX; NaN gives 0. */
static inline uint64_t et_u64(double x)
{
	return x >= 9223372036854775808.0 ? (uint64_t)INT64_MAX : x >= 1 ? (uint64_t)x : 0;
}
