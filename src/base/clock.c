/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

static uint64_t now(void *ctx)
{
	(void)ctx;
	return et_clock_read_ns(CLOCK_MONOTONIC);
}

static uint64_t wall(void *ctx)
{
	(void)ctx;
	return et_clock_read_ns(CLOCK_REALTIME);
}

const struct et_clock et_clock_real = { .now_ns = now, .wall_ns = wall };

void et_clock_sleep_until(clockid_t id, uint64_t due_ns)
{
	uint64_t now = et_clock_read_ns(id);

	if (due_ns <= now)
		return;
	struct timespec left = et_ns_timespec(due_ns - now);
	nanosleep(&left, NULL);
}
