/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function that bench/kbest times by every method: r rounds of a loop in a register. */
#ifndef BENCH_KBEST_WORK_H
#define BENCH_KBEST_WORK_H

static inline void kbest_work(unsigned long r)
{
#if defined(__x86_64__)
	__asm__ __volatile__("1:\n\tdec %0\n\tjnz 1b" : "+r"(r) : : "cc");
#elif defined(__aarch64__)
	__asm__ __volatile__("1:\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(r) : : "cc");
#else
	while (r--)
		__asm__ __volatile__("" : "+r"(r));
#endif
}

#endif
