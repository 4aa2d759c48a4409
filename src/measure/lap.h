/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fixed piece of work by which the machine's speed is told: increments of a register. It
 * touches no memory, so it neither disturbs a program's caches nor depends on them; what slows it
 * down is the processor itself: its clock, or a neighbour on the other hardware thread.
 */
#ifndef ET_MEASURE_LAP_H
#define ET_MEASURE_LAP_H

#include <stdint.h>

/* Some 20 µs at 3 GHz: a hundred times what reading a CPU clock costs. */
enum { ET_LAP_INCREMENTS = 1 << 16 };

static inline void et_lap(void)
{
	uint64_t count = 0;

	/* The empty asm keeps every single step, and the counter in a register. */
	for (uint32_t i = 0; i < ET_LAP_INCREMENTS; i++) {
		count++;
		__asm__ volatile("" : "+r"(count));
	}
}

#endif
