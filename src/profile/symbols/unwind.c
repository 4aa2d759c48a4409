/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the callers of a sampled function: by the call frame information of its file, and where
 * there is none (generated code, hand-written assembler) by the frame pointer.
 */
#include "profile/symbols/cfi.h"
#include "profile/symbols/module.h"

#ifdef __x86_64__

#include <asm/perf_regs.h>

/* rax … rip, r8 … r15 */
static const uint64_t wanted = 0xff01ff;
/* The numbers that DWARF gives them (System V ABI for x86-64, table 3.36). */
static const unsigned char numbers[] = { 0, 3, 2, 1, 4, 5, 6, 7, ET_CFI_IP, 8, 9, 10, 11, 12, 13,
	14, 15 };
enum { IP = PERF_REG_X86_IP, SP_NUMBER = 7, FP_NUMBER = 6 };
static const uint64_t address_bits = UINT64_MAX;

#elif defined(__aarch64__)

#include <asm/perf_regs.h>

/* x0 … x29, lr, sp, pc: in DWARF they have the same numbers. */
static const uint64_t wanted = (UINT64_C(1) << PERF_REG_ARM64_MAX) - 1;
static const unsigned char numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, ET_CFI_IP };
enum { IP = PERF_REG_ARM64_PC, SP_NUMBER = 31, FP_NUMBER = 29 };
/* Above them, a return address may be signed (pointer authentication). */
static const uint64_t address_bits = (UINT64_C(1) << 48) - 1;

#else

static const uint64_t wanted = 0;
static const unsigned char numbers[] = { ET_CFI_IP };
enum { IP = 0, SP_NUMBER = 0, FP_NUMBER = 0 };
static const uint64_t address_bits = UINT64_MAX;

#endif

uint64_t et_unwind_registers(void)
{
	return wanted;
}

static bool begin(const struct et_user_state *from, struct et_cfi_state *s)
{
	if (!wanted || from->n_registers != ET_LENGTH(numbers))
		return false;
	*s = (struct et_cfi_state){ .stack = from->stack,
		.stack_bytes = from->stack ? from->stack_bytes : 0,
		.stack_pointer = SP_NUMBER,
		.frame_pointer = FP_NUMBER,
		.interrupted = true };
	for (size_t i = 0; i < ET_LENGTH(numbers); i++) {
		s->registers[numbers[i]] = from->registers[i];
		s->known |= UINT64_C(1) << numbers[i];
	}
	s->stack_start = s->registers[SP_NUMBER];
	return true;
}

/* The frame pointer points to that of the caller; the return address is above it. */
static bool step_by_frame_pointer(struct et_cfi_state *s)
{
	uint64_t frame = s->registers[FP_NUMBER], caller, ip;

	if (!(s->known >> FP_NUMBER & 1) || frame < s->registers[SP_NUMBER] ||
		!et_cfi_load(s, frame, &caller) || !et_cfi_load(s, frame + 8, &ip))
		return false;
	s->registers[FP_NUMBER] = caller;
	s->registers[SP_NUMBER] = frame + 16;
	s->registers[ET_CFI_IP] = ip;
	s->known = UINT64_C(1) << FP_NUMBER | UINT64_C(1) << SP_NUMBER | UINT64_C(1) << ET_CFI_IP;
	s->interrupted = false;
	return true;
}

static bool step(struct et_spaces *spaces, pid_t process, uint64_t address, struct et_cfi_state *s)
{
	uint64_t in_file;
	const struct et_cfi *c = et_spaces_cfi(spaces, process, address, &in_file);

	return (c && et_cfi_step(c, in_file, s)) || step_by_frame_pointer(s);
}

size_t et_spaces_unwind(struct et_spaces *s, pid_t process, const struct et_user_state *state,
	uint64_t *frames, size_t most)
{
	struct et_cfi_state now;
	size_t n = 0;

	if (!most || !begin(state, &now)) {
		if (!most || state->n_registers <= IP)
			return 0;
		frames[0] = state->registers[IP];
		return 1;
	}
	do {
		uint64_t ip = now.registers[ET_CFI_IP] & address_bits;
		if (!ip)
			break;
		frames[n++] = now.interrupted ? ip : ip - 1;
	} while (n < most && step(s, process, frames[n - 1], &now));
	return n;
}
