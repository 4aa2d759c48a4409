/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INC and spin: a nested loop of increments. The counter must stay in a register: in memory its
 * speed is multimodal on CPUs with memory renaming (0.7, 1.2 or 4.5 cycles per increment). The loop
 * must not read a clock, call a function, allocate or touch memory; spin reads its clock between
 * blocks.
 */
#include "base/clock.h"
#include "put/work.h"

/* Increments of the inner loop: about 20 µs, so that the cost of the outer loop is negligible. */
enum { INNER = 1 << 16 };

/* The empty asm hides the value of the register from the compiler after every increment, so that
 * the compiler can neither merge nor drop increments, and keeps the counter out of memory. */
static inline uint64_t increments(uint64_t count, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		count++;
		__asm__ volatile("" : "+r"(count));
	}
	return count;
}

uint64_t et_inc(uint64_t n)
{
	uint64_t count = 0;

	for (uint64_t block = 0; block < n / INNER; block++)
		count = increments(count, INNER);
	return increments(count, (uint32_t)(n % INNER));
}

uint64_t et_spin(clockid_t clock, uint64_t until_ns)
{
	enum { BLOCK = 1 << 14 }; /* about 5 µs, by which the end may be exceeded */
	uint64_t count = 0;

	while (et_clock_read_ns(clock) < until_ns)
		count = increments(count, BLOCK);
	return count;
}
