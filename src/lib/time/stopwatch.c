/* SPDX-License-Identifier: MIT */
/* The public stopwatch. It must not allocate, print or call anything that may block. */
#include "base/clock.h"

#include <etalon/etalon.h>

void etalon_stopwatch_start(struct etalon_stopwatch *watch)
{
	watch->start_ns = et_clock_read_ns(CLOCK_MONOTONIC);
}

uint64_t etalon_stopwatch_ns(const struct etalon_stopwatch *watch)
{
	return et_clock_read_ns(CLOCK_MONOTONIC) - watch->start_ns;
}

#if !defined(__x86_64__) && !defined(__aarch64__)
uint64_t etalon_ticks_start(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t etalon_ticks_stop(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}
#endif
