/* SPDX-License-Identifier: MIT */
/*
 * The inner loop of the bootstrap: draws n of n values with replacement, repeatedly, and sums up
 * their powers. Draws and additions have the same order whatever the width of the machine's
 * vectors, so a seed gives the same bits with and without AVX2 and on every processor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Four xoshiro256+ generators (Blackman & Vigna 2021), one per lane of a vector. In one step each
 * makes a 64-bit number, and each half of it gives an index (half * n >> 32). The relative bias of
 * an index is at most n / 2^32.
 */
struct et_lanes {
	uint64_t s[4][4]; /* [word of the state][lane] */
};

enum { ET_LANE_DRAWS = 8 }; /* indices per step */

void et_lanes_seed(struct et_lanes *lanes, uint64_t seed, uint64_t stream);
/* Draws the next eight indices below n. */
void et_lanes_draw(struct et_lanes *lanes, uint32_t n, uint32_t index[ET_LANE_DRAWS]);

enum et_width { ET_WIDTH_AUTO, ET_WIDTH_PORTABLE, ET_WIDTH_AVX2 };

/* Returns the widest one for AUTO, else the wanted one, or PORTABLE if the machine lacks it. */
enum et_width et_width_available(enum et_width wanted);

/*
 * Draws `count` resamples of the n values v and writes for each the sums of v and v^2 and, if four
 * is true, of v^3 and v^4 (2 or 4 numbers per resample). n is from 1 to 2^32 - 1. width must come
 * from et_width_available.
 */
void et_resample_sums(struct et_lanes *lanes, const double *v, size_t n, size_t count, bool four,
	enum et_width width, double *sums);
