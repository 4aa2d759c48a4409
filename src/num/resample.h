/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inner loop of the bootstrap: draws n of n values with replacement, repeatedly, and sums up
 * their powers. The draws and the order of additions are defined in terms of eight lanes, whatever
 * the width of the machine's vectors, so the same seed gives the same bits with and without AVX2
 * and on every processor.
 */
#ifndef ET_NUM_RESAMPLE_H
#define ET_NUM_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Four xoshiro256+ generators (Blackman & Vigna 2021) side by side. Each 64-bit number gives two
 * indices by multiplication (half * n >> 32); their relative bias is at most n / 2^32.
 */
struct et_lanes {
	uint64_t s[4][4]; /* state word, lane */
};

enum { ET_LANE_DRAWS = 8 }; /* indices per step */

void et_lanes_seed(struct et_lanes *lanes, uint64_t seed, uint64_t stream);
/* Draws the next eight indices below n. */
void et_lanes_draw(struct et_lanes *lanes, uint32_t n, uint32_t index[ET_LANE_DRAWS]);

enum et_width { ET_WIDTH_AUTO, ET_WIDTH_PORTABLE, ET_WIDTH_AVX2 };

/* Returns the wanted width, or ET_WIDTH_PORTABLE if this machine does not have it. */
enum et_width et_width_available(enum et_width wanted);

/*
 * Writes, for each of `count` resamples of the n values v, the sums of v and v^2 and, if four is
 * true, of v^3 and v^4 (2 or 4 numbers per resample). n is from 1 to 2^32 - 1.
 */
void et_resample_sums(struct et_lanes *lanes, const double *v, size_t n, size_t count, bool four,
	enum et_width width, double *sums);

#endif
