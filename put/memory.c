/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work whose speed depends on the caches or on the kernel: dependent reads, system calls, and pages
 * that the kernel clears. et_calls and et_touch_pages make system calls: that is their work.
 */
#include "put/work.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* A cache line each, so that every step of a chase reads another one. */
struct et_line {
	uint32_t next;
	char rest[60];
};

/* Sattolo's shuffle makes a single cycle through all lines. */
static void make_cycle(struct et_line *lines, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		lines[i].next = (uint32_t)i;
	for (size_t i = n; i-- > 1;) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t k = (size_t)(seed >> 33) % i;
		uint32_t next = lines[i].next;
		lines[i].next = lines[k].next;
		lines[k].next = next;
	}
}

size_t et_chase_bytes(void)
{
	return sizeof(struct et_line);
}

uint64_t et_chase(void *memory, size_t n, uint64_t seed, uint64_t steps)
{
	struct et_line *lines = memory;
	uint32_t at = 0;

	make_cycle(lines, n, seed);
	for (uint64_t i = 0; i < steps; i++)
		at = *(volatile uint32_t *)&lines[at].next;
	return at;
}

uint64_t et_calls(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += (uint64_t)syscall(SYS_getppid);
	return sum;
}

uint64_t et_touch_pages(size_t bytes, uint64_t times)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t touched = 0;

	for (uint64_t t = 0; t < times; t++) {
		char *m = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (m == MAP_FAILED)
			return 0;
		madvise(m, bytes, MADV_NOHUGEPAGE); /* fails where there are none */
		for (size_t i = 0; i < bytes; i += page) {
			*(volatile char *)(m + i) = 1;
			touched++;
		}
		munmap(m, bytes);
	}
	return touched;
}
