/* SPDX-License-Identifier: MIT */
/* Finds the periods in which a thread does not run, by a clock that a test can replace. */
#pragma once

#include <etalon/etalon.h>

struct et_inactive_clock {
	uint64_t (*read)(void *ctx); /* NULL: the counter */
	void *ctx;
	double hz;
};

/*
 * Reads the clock until duration_ns have passed or the list is full; threshold_ns 0: chosen.
 * out->clock is not set. Returns ETALON_OK, ETALON_NO_MEMORY, or ETALON_BAD_CLOCK if the clock went
 * backwards.
 */
int et_inactive_find(const struct et_inactive_clock *c, double threshold_ns, double duration_ns,
	struct etalon_period *list, size_t capacity, struct etalon_inactivity *out);
