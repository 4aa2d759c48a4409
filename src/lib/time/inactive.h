/* SPDX-License-Identifier: MIT */
/* Finds the periods in which a thread does not run, by a clock that a test can replace. */
#pragma once

#include <etalon/etalon.h>

struct et_inactive_clock {
	uint64_t (*read)(void *ctx);
	void *ctx;
	double hz;
};

/*
 * Reads the clock until duration_ns have passed or the list is full. out->clock is not set. Returns
 * ETALON_OK, or ETALON_BAD_CLOCK if the clock went backwards.
 */
int et_inactive_find(const struct et_inactive_clock *c, double threshold_ns, double duration_ns,
	struct etalon_period *list, size_t capacity, struct etalon_inactivity *out);
