/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callers found in a copy of our own stack. The truth is backtrace() of the C library, whose
 * unwinder is that of gcc, and the names of the functions of this test.
 */
#include "base/base.h"
#include "profile/symbols/space.h"
#include "self_maps.h"
#include "tap.h"

#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>

#if defined(ET_HAVE_DW) && (defined(__x86_64__) || defined(__aarch64__))

#define APART __attribute__((noinline, noclone))

enum { MOST = 64, STACK = 65536 };

static struct {
	uint64_t registers[64];
	size_t n_registers;
	unsigned char stack[STACK];
	size_t stack_bytes;
	void *truth[MOST];
	int n_truth;
	char *top; /* the end of the copy: in main */
} taken;

static void take_registers(const ucontext_t *u)
{
#ifdef __x86_64__
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_RIP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
		REG_R15 };
	for (size_t i = 0; i < ET_LENGTH(order); i++)
		taken.registers[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
	taken.n_registers = ET_LENGTH(order);
#else
	for (size_t i = 0; i < 31; i++)
		taken.registers[i] = u->uc_mcontext.regs[i];
	taken.registers[31] = u->uc_mcontext.sp;
	taken.registers[32] = u->uc_mcontext.pc;
	taken.n_registers = 33;
#endif
}

static const unsigned char *stack_pointer(void)
{
#ifdef __x86_64__
	return (const unsigned char *)(uintptr_t)taken.registers[7];
#else
	return (const unsigned char *)(uintptr_t)taken.registers[31];
#endif
}

/* Copies more than one variable: not with the memcpy() of a sanitizer. */
__attribute__((no_sanitize("address", "undefined"))) static void take_stack(void)
{
	const volatile unsigned char *from = stack_pointer();
	size_t n = (size_t)(taken.top - (const char *)from);

	taken.stack_bytes = n < STACK ? n : STACK;
	for (size_t i = 0; i < taken.stack_bytes; i++)
		taken.stack[i] = from[i];
}

/* The copy is taken in this function, so that its frame is still there. */
APART static void take(void)
{
	ucontext_t here;

	getcontext(&here);
	take_registers(&here);
	take_stack();
	taken.n_truth = backtrace(taken.truth, MOST);
}

static bool within_handler;

APART static void on_signal(int number)
{
	within_handler = number == SIGUSR1;
	take();
	__asm__ volatile("");
}

APART static int by_order(const void *a, const void *b)
{
	take();
	return *(const int *)a - *(const int *)b;
}

APART static int inner(bool signalled)
{
	int list[2] = { 2, 1 };

	if (signalled)
		raise(SIGUSR1);
	else
		qsort(list, 2, sizeof(*list), by_order);
	return list[0];
}

APART static int outer(bool signalled)
{
	char room[256];

	memset(room, signalled, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	return inner(signalled) + room[3];
}

static struct et_profile *profile;
static struct et_spaces *spaces;

static const char *name_of(uint64_t address)
{
	struct et_resolved r;

	et_spaces_resolve(spaces, 1, false, address, &r);
	return profile->functions[r.functions[0]].name;
}

static size_t unwind(uint64_t frames[MOST])
{
	struct et_user_state state = { taken.registers, taken.n_registers, taken.stack,
		taken.stack_bytes };

	return et_spaces_unwind(spaces, 1, &state, frames, MOST);
}

/* backtrace() begins in take(), as the registers do, or in a sanitizer that it was called by. */
static void compare(const char *label, const char *const *names)
{
	uint64_t frames[MOST];
	size_t n = unwind(frames), differ = 0, found = 0, within_main = 0, first = 0;

	while (first + 1 < (size_t)taken.n_truth &&
		strcmp(name_of((uintptr_t)taken.truth[first] - 1), "take") != 0)
		first++;
	is_str(name_of(frames[0]), "take", "%s: the first is where the registers are from", label);
	for (size_t i = 0; i < n && !within_main; i++) {
		if (names[found] && !strcmp(name_of(frames[i]), names[found]))
			found++;
		if (!strcmp(name_of(frames[i]), "main"))
			within_main = i;
	}
	ok(within_main > 0, "%s: main is found", label);
	ok(!names[found], "%s: all functions between are found in order", label);
	for (size_t i = 1; i <= within_main; i++) {
		size_t at = first + i;
		uint64_t truth = at < (size_t)taken.n_truth ? (uintptr_t)taken.truth[at] : 0;
		/* The address after a call, or the exact address after a signal. */
		if (frames[i] + 1 != truth && frames[i] != truth) {
			printf("# frame %zu is %s, not at %" PRIx64 "\n", i, name_of(frames[i]),
				truth);
			differ++;
		}
	}
	ok(differ == 0, "%s: the %zu callers are those of backtrace()", label, within_main);
}

static void damaged(void)
{
	uint64_t frames[MOST];
	size_t whole = unwind(frames), n = 0, ended = 0;
	struct et_user_state none = { taken.registers, taken.n_registers, NULL, 0 };
	uint64_t first = frames[0];
	unsigned state = 3;

	ok(et_spaces_unwind(spaces, 1, &none, frames, MOST) == 1,
		"damaged: without a stack only the function itself is known");
	none.n_registers = 3;
	ok(et_spaces_unwind(spaces, 1, &none, frames, MOST) == 0,
		"damaged: without registers nothing is known");
	taken.stack_bytes /= 4;
	n = unwind(frames);
	ok(n >= 1 && n < whole, "damaged: a short copy of the stack gives fewer callers");
	taken.stack_bytes *= 4;
	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < 16; i++) {
			state = state * 1664525 + 1013904223;
			taken.stack[(state >> 8) % taken.stack_bytes] ^=
				(unsigned char)(state >> 3);
		}
		n = unwind(frames);
		ended += n >= 1 && n <= MOST && frames[0] == first;
	}
	ok(ended == 2000,
		"damaged: unwinding changed stacks ends, and begins with the function itself");
}

int main(void)
{
	static const char *const sorted[] = { "take", "by_order", "inner", "outer", "main", NULL };
	static const char *const signalled[] = { "take", "on_signal", "inner", "outer", "main",
		NULL };

	taken.top = (char *)__builtin_frame_address(0) + 256;
	profile = et_profile_new(&et_default_profile_plan);
	spaces = et_spaces_new("", profile);
	map_self(spaces, 1);
	ok(outer(false) == 1, "unwind: the callers of a function that qsort() calls");
	map_self(spaces, 1); /* backtrace() loads a library */
	compare("qsort", sorted);
	struct sigaction act = { .sa_handler = on_signal };
	sigaction(SIGUSR1, &act, NULL);
	ok(outer(true) == 3 && within_handler,
		"unwind: the callers of a function that a signal interrupts");
	compare("signal", signalled);
	damaged();
	et_spaces_free(spaces);
	et_profile_free(profile);
	return tap_done();
}

#else

int main(void)
{
	skip("unwinding needs libdw and x86-64 or arm64");
	return tap_done();
}

#endif
