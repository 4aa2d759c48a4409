/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of NIST TN 1826, section 8: a function of 256 nops and a return, between loops of 0
 * to 15 iterations. The kernel's random numbers cost a system call per call: that is the note's
 * noise.
 */
#include "base/clock.h"
#include "put/work.h"

#include <fcntl.h>

/* x86 has nops of one byte; those of arm64 and most others have four. */
void nops(void);
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__riscv)
__asm__(".pushsection .text\n"
	".p2align 8\n"
	".globl nops\n"
	".hidden nops\n"
	".type nops, %function\n"
	"nops:\n"
	".rept 256\n"
	"nop\n"
	".endr\n"
	"ret\n"
	".size nops, .-nops\n"
	".popsection\n");
#else
__attribute__((noinline, aligned(256))) void nops(void)
{
	__asm__ volatile(".rept 256\n\tnop\n\t.endr");
}
#endif

/* Returns a byte, or a negative number if the kernel gives none. */
static inline int next_byte(enum et_put_random random, int fd, uint64_t *state)
{
	unsigned char byte = 0x50;

	if (random == ET_PUT_URANDOM)
		return read(fd, &byte, 1) == 1 ? byte : -1;
	if (random == ET_PUT_LCG) {
		*state = *state * 6364136223846793005u + 1442695040888963407u;
		byte = (unsigned char)(*state >> 56);
	}
	return byte;
}

/* Calls the function n times; returns how often it did. */
static uint64_t call(enum et_put_random random, int fd, uint64_t *state, uint64_t n)
{
	for (uint64_t k = 0; k < n; k++) {
		int byte = next_byte(random, fd, state);
		if (byte < 0)
			return k;
		for (int i = byte >> 4; i > 0; i--)
			__asm__ volatile("");
		nops();
	}
	return n;
}

int et_nops(enum et_put_random random, uint64_t calls, uint64_t until_cpu_ns, uint64_t *out)
{
	enum { BLOCK = 4096 }; /* a quarter of a millisecond without system calls */
	int fd = random == ET_PUT_URANDOM ? open("/dev/urandom", O_RDONLY | O_CLOEXEC) : -1;
	uint64_t state = 1, done = 0;

	if (random == ET_PUT_URANDOM && fd < 0)
		return -errno;
	while (calls ? done < calls : et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < until_cpu_ns) {
		uint64_t n = calls && calls - done < BLOCK ? calls - done : BLOCK;
		uint64_t made = call(random, fd, &state, n);
		done += made;
		if (made < n)
			break;
	}
	if (fd >= 0)
		close(fd);
	*out = done;
	return calls && done < calls ? -EIO : 0;
}
