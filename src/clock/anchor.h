/* SPDX-License-Identifier: MIT */
/*
 * Anchors tie a counter to a clock: each is a reading of both at the same instant. Two anchors
 * define the straight line that converts readings of the counter into times.
 */
#pragma once

#include <stdint.h>
#include <time.h>

struct et_anchor {
	uint64_t reading, ns;
};

/*
 * Reads the clock between two readings of the counter, and takes the middle of these as the reading
 * at that time. Of several attempts it returns the one in which the two are closest together: an
 * interrupt moves them apart.
 */
struct et_anchor et_anchor_take(uint64_t (*read)(void *ctx), void *ctx, clockid_t clock);
/* Returns the time of a reading by the straight line through two anchors, 0 if it is negative. */
uint64_t et_anchor_ns(const struct et_anchor *from, const struct et_anchor *to, uint64_t reading);
