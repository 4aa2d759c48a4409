/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step from a function to its caller by the call frame information of a file (.eh_frame). The
 * rules are evaluated here, over the registers and the copy of the stack that a sample has; libdw
 * finds the rules. Nothing outside the copy is read.
 */
#pragma once

#include "profile/symbols/object.h"

/* Registers by their numbers in DWARF; 32 is the instruction pointer. */
enum { ET_CFI_REGISTERS = 33, ET_CFI_IP = 32 };

struct et_cfi_state {
	uint64_t registers[ET_CFI_REGISTERS];
	uint64_t known; /* a bit for each register */
	uint64_t stack_start;
	const unsigned char *stack;
	size_t stack_bytes;
	int stack_pointer; /* its number in DWARF */
	bool interrupted;  /* the instruction pointer is exact, not a return address */
};

struct et_cfi;

/* Opens the information of a file, or of an image that remains in memory. NULL: it has none. */
struct et_cfi *et_cfi_open(const char *path, const struct et_build_id *wanted);
struct et_cfi *et_cfi_open_image(const void *image, size_t size);
void et_cfi_close(struct et_cfi *c); /* NULL is fine */

/*
 * Changes the state to that of the caller. `address` is the instruction, as the file counts. False,
 * with the state unchanged: there are no rules, or they need what the sample has not.
 */
bool et_cfi_step(const struct et_cfi *c, uint64_t address, struct et_cfi_state *state) ET_CHECK;
/* Reads 8 bytes of the stack. */
bool et_cfi_load(const struct et_cfi_state *state, uint64_t address, uint64_t *out) ET_CHECK;
