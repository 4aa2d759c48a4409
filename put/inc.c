/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INC and spin: a nested loop of increments. The counter must stay in a register: kept in memory it
 * is bimodal on CPUs that rename memory (0.7, 1.2 or 4.5 cycles an increment). The loop must not
 * read a clock, call, allocate or touch memory; spin reads its clock between blocks.
 */
#include "base/clock.h"
#include "put/work.h"

/* Increments in the inner loop: some 20 µs, so that the outer one costs nothing measurable. */
enum { INNER = 1 << 16 };

/* The empty asm makes the counter's value in a register unknown after every step: no step can be
 * joined with the next, none can be dropped, and nothing goes to memory. */
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
	enum { BLOCK = 1 << 14 }; /* some 5 µs: the most by which the end is overshot */
	uint64_t count = 0;

	while (et_clock_read_ns(clock) < until_ns)
		count = increments(count, BLOCK);
	return count;
}
