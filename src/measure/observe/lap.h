/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fixed piece of work that measures the machine's speed: increments of a register. It touches
 * no memory, so it neither disturbs a program's caches nor depends on them. Only the processor
 * itself slows it down: a lower clock frequency, or a busy hyper-thread sibling.
 */
#pragma once

#include <stdint.h>

/* Some 20 µs at 3 GHz: a hundred times the cost of reading a CPU clock. */
enum { ET_LAP_INCREMENTS = 1 << 16 };

static inline void et_lap(void)
{
	uint64_t count = 0;

	/* The empty asm keeps the compiler from removing or merging increments. */
	for (uint32_t i = 0; i < ET_LAP_INCREMENTS; i++) {
		count++;
		__asm__ volatile("" : "+r"(count));
	}
}
