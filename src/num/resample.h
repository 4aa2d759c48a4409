/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bootstrap's inner loop: draw n of n values with replacement, again and again, and sum up
 * their powers. What is drawn and the order in which it is added are defined in terms of eight
 * lanes, whatever the width of the machine's vectors: the same seed gives the same bits with and
 * without AVX2, and on every processor.
 */
#ifndef ET_NUM_RESAMPLE_H
#define ET_NUM_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Four generators xoshiro256+ (Blackman & Vigna 2021) side by side; each 64-bit number gives two
 * indices by multiplication (value * n >> 32). An index is off its share by at most n / 2^32.
 */
struct et_lanes {
	uint64_t s[4][4]; /* state word, lane */
};

enum { ET_LANE_DRAWS = 8 }; /* indices a step */

void et_lanes_seed(struct et_lanes *lanes, uint64_t seed, uint64_t stream);
/* The next eight indices below n. */
void et_lanes_draw(struct et_lanes *lanes, uint32_t n, uint32_t index[ET_LANE_DRAWS]);

enum et_width { ET_WIDTH_AUTO, ET_WIDTH_PORTABLE, ET_WIDTH_AVX2 };

/* What this machine can do of what is asked for. */
enum et_width et_width_available(enum et_width wanted);

/*
 * For each of `count` resamples of the n values v: sums of v, v^2 and, with four, v^3 and v^4,
 * written one resample after the other (2 or 4 numbers each). n from 1 to 2^32 - 1.
 */
void et_resample_sums(struct et_lanes *lanes, const double *v, size_t n, size_t count, bool four,
	enum et_width width, double *sums);

#endif
