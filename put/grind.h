/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The arithmetic of fragment and triangle, and how their functions are kept apart. `etalon lab`
 * also compiles both files alone with -pg, so this header includes nothing of etalon.
 */
#pragma once

#include <stdint.h>

/*
 * A function that a profile must show under its own name: neither inlined nor copied for one
 * caller, and not merged with another one that has the same instructions. It begins at a cache
 * line, so that equal functions are also equally fast.
 */
#if defined(__has_attribute)
#if __has_attribute(noipa)
#define ET_KEPT __attribute__((noipa, noinline, noclone, aligned(64)))
#endif
#endif
#ifndef ET_KEPT
#define ET_KEPT __attribute__((noinline, aligned(64)))
#endif

/*
 * Iterations of xorshift (Marsaglia, Xorshift RNGs, 2003): six operations that depend on each
 * other, in a register. The next call continues from the result, so calls do not overlap.
 */
static inline uint64_t et_grind(uint64_t x, uint64_t iterations)
{
	while (iterations--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}
