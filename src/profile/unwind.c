/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/space.h"

#ifdef __x86_64__
#include <asm/perf_regs.h>
/* Those of the processor's ABI: rax … rip, r8 … r15. */
static const uint64_t wanted = 0xff01ff;
enum { IP = PERF_REG_X86_IP };
#elif defined(__aarch64__)
#include <asm/perf_regs.h>
static const uint64_t wanted = (UINT64_C(1) << PERF_REG_ARM64_MAX) - 1;
enum { IP = PERF_REG_ARM64_PC };
#else
static const uint64_t wanted = 0;
enum { IP = 0 };
#endif

uint64_t et_unwind_registers(void)
{
	return wanted;
}

size_t et_spaces_unwind(struct et_spaces *s, pid_t process, const struct et_user_state *state,
	uint64_t *frames, size_t most)
{
	(void)s, (void)process;
	if (!most || state->n_registers <= IP)
		return 0;
	frames[0] = state->registers[IP];
	return 1;
}
