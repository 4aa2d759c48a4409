/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/cfi.h"
#include "profile/symbols/elf_file.h"
#include "profile/symbols/module.h"

bool et_cfi_load(const struct et_cfi_state *s, uint64_t address, uint64_t *out)
{
	uint64_t at = address - s->stack_start;

	if (s->stack_bytes < sizeof(*out) || at > s->stack_bytes - sizeof(*out))
		return false;
	memcpy(out, s->stack + at, sizeof(*out));
	return true;
}

#ifdef ET_HAVE_DW

#include <dwarf.h>
#include <elfutils/libdw.h>

struct et_cfi {
	struct et_elf elf;
	Dwarf_CFI *rules;
};

/* libdw reads the sections at once, so the file need not stay open. */
static struct et_cfi *open_elf(struct et_elf *elf)
{
	Dwarf_CFI *rules = dwarf_getcfi_elf(elf->elf);

	if (!rules) {
		et_elf_close(elf);
		return NULL;
	}
	if (elf->fd >= 0) {
		elf_cntl(elf->elf, ELF_C_FDDONE);
		close(elf->fd);
		elf->fd = -1;
	}
	struct et_cfi *c = et_alloc(sizeof(*c));
	*c = (struct et_cfi){ *elf, rules };
	return c;
}

struct et_cfi *et_cfi_open(const char *path, const struct et_build_id *wanted)
{
	struct et_elf elf;

	if (et_elf_open(path, &elf) != ET_OBJECT_READ)
		return NULL;
	if ((wanted->size && !et_elf_has_build_id(&elf, wanted)) || !et_elf_is_native(&elf)) {
		et_elf_close(&elf);
		return NULL;
	}
	return open_elf(&elf);
}

struct et_cfi *et_cfi_open_image(const void *image, size_t size)
{
	struct et_elf elf;

	return et_elf_open_image(image, size, &elf) == ET_OBJECT_READ ? open_elf(&elf) : NULL;
}

void et_cfi_close(struct et_cfi *c)
{
	if (!c)
		return;
	dwarf_cfi_end(c->rules);
	et_elf_close(&c->elf);
	free(c);
}

/* --- expressions: the operations that are written into call frame information --- */

enum { DEPTH = 16 };

struct machine {
	const struct et_cfi_state *state;
	uint64_t cfa;
	bool has_cfa;
	uint64_t stack[DEPTH];
	size_t n;
	bool failed;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->n == DEPTH)
		m->failed = true;
	else
		m->stack[m->n++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->n == 0) {
		m->failed = true;
		return 0;
	}
	return m->stack[--m->n];
}

static void push_register(struct machine *m, uint64_t number, uint64_t plus)
{
	if (number >= ET_CFI_REGISTERS || !(m->state->known >> number & 1))
		m->failed = true;
	else
		push(m, m->state->registers[number] + plus);
}

/* Sets *known to false if the operation has not two operands. */
static uint64_t combine(unsigned atom, uint64_t a, uint64_t b, bool *known)
{
	switch (atom) {
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	case DW_OP_gt:
		return (int64_t)a > (int64_t)b;
	case DW_OP_le:
		return (int64_t)a <= (int64_t)b;
	case DW_OP_lt:
		return (int64_t)a < (int64_t)b;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	}
	*known = false;
	return 0;
}

static bool binary(struct machine *m, unsigned atom)
{
	bool known = m->n >= 2;
	uint64_t value = known ? combine(atom, m->stack[m->n - 2], m->stack[m->n - 1], &known) : 0;

	if (known)
		m->stack[--m->n - 1] = value;
	return known;
}

static void constant_or_register(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		push(m, op->atom - DW_OP_lit0);
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		push_register(m, op->atom - DW_OP_breg0, op->number);
	else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		push(m, op->number);
	else
		m->failed = true;
}

static void execute(struct machine *m, const Dwarf_Op *op)
{
	uint64_t value;

	switch (op->atom) {
	case DW_OP_call_frame_cfa:
		m->failed |= !m->has_cfa;
		push(m, m->cfa);
		break;
	case DW_OP_plus_uconst:
		push(m, pop(m) + op->number);
		break;
	case DW_OP_bregx:
		push_register(m, op->number, op->number2);
		break;
	case DW_OP_dup:
		value = pop(m);
		push(m, value);
		push(m, value);
		break;
	case DW_OP_deref:
		m->failed |= !et_cfi_load(m->state, pop(m), &value);
		push(m, m->failed ? 0 : value);
		break;
	case DW_OP_nop:
		break;
	default:
		if (!binary(m, op->atom))
			constant_or_register(m, op);
	}
}

/* Evaluates operations without the final one that says what the result means. */
static bool evaluate(struct machine *m, const Dwarf_Op *ops, size_t n, uint64_t *out)
{
	m->n = 0;
	m->failed = false;
	for (size_t i = 0; i < n && !m->failed; i++)
		execute(m, &ops[i]);
	*out = pop(m);
	return !m->failed;
}

/* --- rules --- */

/* The value that a register has in the caller. */
static bool recover(struct machine *m, Dwarf_Frame *frame, int number, uint64_t *out)
{
	Dwarf_Op memory[3], *ops;
	size_t n;

	if (dwarf_frame_register(frame, number, memory, &ops, &n) != 0)
		return false;
	if (n == 0) { /* the same value if ops is NULL, otherwise undefined */
		*out = number < ET_CFI_REGISTERS ? m->state->registers[number] : 0;
		return !ops && number < ET_CFI_REGISTERS && (m->state->known >> number & 1);
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		unsigned other = ops[0].atom - DW_OP_reg0;
		*out = m->state->registers[other];
		return m->state->known >> other & 1;
	}
	if (ops[n - 1].atom == DW_OP_stack_value)
		return evaluate(m, ops, n - 1, out);
	return evaluate(m, ops, n, out) && et_cfi_load(m->state, *out, out);
}

static void recover_all(
	struct machine *m, Dwarf_Frame *frame, int return_column, struct et_cfi_state *next)
{
	next->known = 0;
	for (int i = 0; i < ET_CFI_IP; i++) {
		if (recover(m, frame, i, &next->registers[i]))
			next->known |= UINT64_C(1) << i;
	}
	next->registers[next->stack_pointer] = m->cfa;
	next->known |= UINT64_C(1) << next->stack_pointer;
	if (recover(m, frame, return_column, &next->registers[ET_CFI_IP]))
		next->known |= UINT64_C(1) << ET_CFI_IP;
}

bool et_cfi_step(const struct et_cfi *c, uint64_t address, struct et_cfi_state *state)
{
	struct machine m = { .state = state };
	struct et_cfi_state next = *state;
	Dwarf_Frame *frame;
	Dwarf_Addr start, end;
	Dwarf_Op *ops;
	size_t n;
	uint64_t sp = state->registers[state->stack_pointer];
	bool signal = false;

	if (dwarf_cfi_addrframe(c->rules, address, &frame) != 0)
		return false;
	int column = dwarf_frame_info(frame, &start, &end, &signal);
	bool done = column >= 0 && dwarf_frame_cfa(frame, &ops, &n) == 0 && n > 0 &&
		    evaluate(&m, ops, n, &m.cfa);
	if (done) {
		m.has_cfa = true;
		recover_all(&m, frame, column, &next);
		next.interrupted = signal;
		/*
		 * A caller is above its callee, or unwinding would not end. Only a function that
		 * has saved nothing yet may have no frame, and signals may come on another stack.
		 */
		done = (next.known >> ET_CFI_IP & 1) &&
		       (signal || m.cfa > sp || (m.cfa == sp && state->interrupted));
	}
	free(frame);
	if (done)
		*state = next;
	return done;
}

#else

struct et_cfi *et_cfi_open(const char *path, const struct et_build_id *wanted)
{
	(void)path, (void)wanted;
	return NULL;
}

struct et_cfi *et_cfi_open_image(const void *image, size_t size)
{
	(void)image, (void)size;
	return NULL;
}

void et_cfi_close(struct et_cfi *c)
{
	(void)c;
}

bool et_cfi_step(const struct et_cfi *c, uint64_t address, struct et_cfi_state *state)
{
	(void)c, (void)address, (void)state;
	return false;
}

#endif

/* Unwinding by call frame information or, where there is none (generated code), frame pointers. */

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

static bool begin_unwinding(const struct et_user_state *from, struct et_cfi_state *s)
{
	if (!wanted || from->n_registers != ET_LENGTH(numbers))
		return false;
	*s = (struct et_cfi_state){ .stack = from->stack,
		.stack_bytes = from->stack ? from->stack_bytes : 0,
		.stack_pointer = SP_NUMBER,
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

static bool step_to_caller(
	struct et_spaces *spaces, pid_t process, uint64_t address, struct et_cfi_state *s)
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

	if (!most || !begin_unwinding(state, &now)) {
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
	} while (n < most && step_to_caller(s, process, frames[n - 1], &now));
	return n;
}
