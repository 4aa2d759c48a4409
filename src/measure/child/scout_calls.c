/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/scout_calls.h"
#include "base/base.h"
#include "base/filter.h"

#include <linux/audit.h>

#ifndef SECCOMP_RET_USER_NOTIF
#define SECCOMP_RET_USER_NOTIF 0x7fc00000U
#endif

/* The numbers are written down, because the headers have those of one architecture only. */
static const struct et_scout_row rows[] = {
#if defined(__x86_64__)
	{ AUDIT_ARCH_X86_64, 2, ET_CALL_OPEN },
	{ AUDIT_ARCH_X86_64, 49, ET_CALL_BIND },
	{ AUDIT_ARCH_X86_64, 59, ET_CALL_EXECVE },
	{ AUDIT_ARCH_X86_64, 72, ET_CALL_FCNTL },
	{ AUDIT_ARCH_X86_64, 73, ET_CALL_FLOCK },
	{ AUDIT_ARCH_X86_64, 76, ET_CALL_TRUNCATE },
	{ AUDIT_ARCH_X86_64, 82, ET_CALL_RENAME },
	{ AUDIT_ARCH_X86_64, 83, ET_CALL_MAKE },
	{ AUDIT_ARCH_X86_64, 84, ET_CALL_UNLINK },
	{ AUDIT_ARCH_X86_64, 85, ET_CALL_CREAT },
	{ AUDIT_ARCH_X86_64, 86, ET_CALL_LINK },
	{ AUDIT_ARCH_X86_64, 87, ET_CALL_UNLINK },
	{ AUDIT_ARCH_X86_64, 88, ET_CALL_LINK },
	{ AUDIT_ARCH_X86_64, 133, ET_CALL_MAKE },
	{ AUDIT_ARCH_X86_64, 257, ET_CALL_OPENAT },
	{ AUDIT_ARCH_X86_64, 258, ET_CALL_MAKEAT },
	{ AUDIT_ARCH_X86_64, 259, ET_CALL_MAKEAT },
	{ AUDIT_ARCH_X86_64, 263, ET_CALL_UNLINKAT },
	{ AUDIT_ARCH_X86_64, 264, ET_CALL_RENAMEAT },
	{ AUDIT_ARCH_X86_64, 265, ET_CALL_LINKAT },
	{ AUDIT_ARCH_X86_64, 266, ET_CALL_SYMLINKAT },
	{ AUDIT_ARCH_X86_64, 316, ET_CALL_RENAMEAT },
	{ AUDIT_ARCH_X86_64, 317, ET_CALL_SECCOMP },
	{ AUDIT_ARCH_X86_64, 322, ET_CALL_EXECVEAT },
	{ AUDIT_ARCH_X86_64, 437, ET_CALL_OPENAT2 },
	{ AUDIT_ARCH_I386, 5, ET_CALL_OPEN },
	{ AUDIT_ARCH_I386, 8, ET_CALL_CREAT },
	{ AUDIT_ARCH_I386, 9, ET_CALL_LINK },
	{ AUDIT_ARCH_I386, 10, ET_CALL_UNLINK },
	{ AUDIT_ARCH_I386, 11, ET_CALL_EXECVE },
	{ AUDIT_ARCH_I386, 14, ET_CALL_MAKE },
	{ AUDIT_ARCH_I386, 38, ET_CALL_RENAME },
	{ AUDIT_ARCH_I386, 39, ET_CALL_MAKE },
	{ AUDIT_ARCH_I386, 40, ET_CALL_UNLINK },
	{ AUDIT_ARCH_I386, 55, ET_CALL_FCNTL },
	{ AUDIT_ARCH_I386, 83, ET_CALL_LINK },
	{ AUDIT_ARCH_I386, 92, ET_CALL_TRUNCATE },
	{ AUDIT_ARCH_I386, 102, ET_CALL_SOCKETCALL },
	{ AUDIT_ARCH_I386, 143, ET_CALL_FLOCK },
	{ AUDIT_ARCH_I386, 193, ET_CALL_TRUNCATE },
	{ AUDIT_ARCH_I386, 221, ET_CALL_FCNTL },
	{ AUDIT_ARCH_I386, 295, ET_CALL_OPENAT },
	{ AUDIT_ARCH_I386, 296, ET_CALL_MAKEAT },
	{ AUDIT_ARCH_I386, 297, ET_CALL_MAKEAT },
	{ AUDIT_ARCH_I386, 301, ET_CALL_UNLINKAT },
	{ AUDIT_ARCH_I386, 302, ET_CALL_RENAMEAT },
	{ AUDIT_ARCH_I386, 303, ET_CALL_LINKAT },
	{ AUDIT_ARCH_I386, 304, ET_CALL_SYMLINKAT },
	{ AUDIT_ARCH_I386, 353, ET_CALL_RENAMEAT },
	{ AUDIT_ARCH_I386, 354, ET_CALL_SECCOMP },
	{ AUDIT_ARCH_I386, 358, ET_CALL_EXECVEAT },
	{ AUDIT_ARCH_I386, 361, ET_CALL_BIND },
	{ AUDIT_ARCH_I386, 437, ET_CALL_OPENAT2 },
#elif defined(__aarch64__)
	{ AUDIT_ARCH_AARCH64, 25, ET_CALL_FCNTL },
	{ AUDIT_ARCH_AARCH64, 32, ET_CALL_FLOCK },
	{ AUDIT_ARCH_AARCH64, 33, ET_CALL_MAKEAT },
	{ AUDIT_ARCH_AARCH64, 34, ET_CALL_MAKEAT },
	{ AUDIT_ARCH_AARCH64, 35, ET_CALL_UNLINKAT },
	{ AUDIT_ARCH_AARCH64, 36, ET_CALL_SYMLINKAT },
	{ AUDIT_ARCH_AARCH64, 37, ET_CALL_LINKAT },
	{ AUDIT_ARCH_AARCH64, 38, ET_CALL_RENAMEAT },
	{ AUDIT_ARCH_AARCH64, 45, ET_CALL_TRUNCATE },
	{ AUDIT_ARCH_AARCH64, 56, ET_CALL_OPENAT },
	{ AUDIT_ARCH_AARCH64, 200, ET_CALL_BIND },
	{ AUDIT_ARCH_AARCH64, 221, ET_CALL_EXECVE },
	{ AUDIT_ARCH_AARCH64, 276, ET_CALL_RENAMEAT },
	{ AUDIT_ARCH_AARCH64, 277, ET_CALL_SECCOMP },
	{ AUDIT_ARCH_AARCH64, 281, ET_CALL_EXECVEAT },
	{ AUDIT_ARCH_AARCH64, 437, ET_CALL_OPENAT2 },
#endif
};

const struct et_scout_row *et_scout_rows(size_t *n)
{
	*n = ET_LENGTH(rows);
	return rows;
}

/* Notifies if the test of an argument with the value, of bits or of equality, is true. */
static void check(struct et_filter *p, size_t i, uint16_t test, uint32_t value)
{
	et_filter_load_argument(p, i);
	et_filter_add(p, BPF_JMP | test | BPF_K, value, 0, 1);
	et_filter_end(p, SECCOMP_RET_USER_NOTIF);
}

/* F_SETLK, F_SETLKW, the same for 64 bits in 32-bit programs, and for open file descriptions. */
static void check_fcntl(struct et_filter *p)
{
	static const uint32_t commands[] = { 6, 7, 13, 14, 37, 38 };

	et_filter_load_argument(p, 1);
	for (size_t i = 0; i < ET_LENGTH(commands); i++) {
		et_filter_add(p, BPF_JMP | BPF_JEQ | BPF_K, commands[i], 0, 1);
		et_filter_end(p, SECCOMP_RET_USER_NOTIF);
	}
}

/* The end of the filter for the calls with a condition; A is not the number any more. */
static void conclude(struct et_filter *p, enum et_scout_call call)
{
	const uint32_t listener = 1 << 3, exclusive = 2, bind = 2;

	if (call == ET_CALL_FCNTL)
		check_fcntl(p);
	else if (call == ET_CALL_FLOCK)
		check(p, 1, BPF_JSET, exclusive);
	else if (call == ET_CALL_SOCKETCALL)
		check(p, 0, BPF_JEQ, bind);
	else if (call == ET_CALL_SECCOMP)
		check(p, 1, BPF_JSET, listener);
	else
		et_filter_end(p, SECCOMP_RET_USER_NOTIF);
	et_filter_end(p, SECCOMP_RET_ALLOW);
}

static bool is_conditional(enum et_scout_call c)
{
	return c == ET_CALL_FCNTL || c == ET_CALL_FLOCK || c == ET_CALL_SOCKETCALL ||
	       c == ET_CALL_SECCOMP;
}

/* One block per architecture: first the calls with a condition, then a list of the others. */
static void add_architecture(struct et_filter *p, uint32_t arch)
{
	et_filter_load(p, offsetof(struct seccomp_data, arch));
	et_filter_add(p, BPF_JMP | BPF_JEQ | BPF_K, arch, 1, 0);
	size_t skip = p->n;
	et_filter_add(p, BPF_JMP | BPF_JA, 0, 0, 0);
	et_filter_load(p, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ET_LENGTH(rows); i++) {
		const struct et_scout_row *r = &rows[i];
		if (r->arch != arch)
			continue;
		size_t jump = p->n;
		et_filter_add(p, BPF_JMP | BPF_JEQ | BPF_K, r->number, 0, 0);
		if (is_conditional(r->call))
			conclude(p, r->call);
		else
			et_filter_end(p, SECCOMP_RET_USER_NOTIF);
		p->at[jump].jf = (uint8_t)(p->n - jump - 1);
	}
	et_filter_end(p, SECCOMP_RET_ALLOW);
	p->at[skip].k = (uint32_t)(p->n - skip - 1);
}

size_t et_scout_program(struct sock_filter out[static ET_SCOUT_PROGRAM])
{
	struct et_filter p = { .at = out };

	for (size_t i = 0; i < ET_LENGTH(rows); i++) {
		if (i == 0 || rows[i].arch != rows[i - 1].arch)
			add_architecture(&p, rows[i].arch);
	}
	et_filter_end(&p, SECCOMP_RET_ALLOW);
	return p.n;
}
