/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls that scouting looks at, per architecture. */
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

enum et_scout_call {
	ET_CALL_OPEN,       /* path, flags */
	ET_CALL_CREAT,      /* path */
	ET_CALL_OPENAT,     /* folder, path, flags */
	ET_CALL_OPENAT2,    /* folder, path, structure with the flags */
	ET_CALL_TRUNCATE,   /* path */
	ET_CALL_RENAME,     /* path, path */
	ET_CALL_RENAMEAT,   /* folder, path, folder, path */
	ET_CALL_UNLINK,     /* path; also rmdir */
	ET_CALL_UNLINKAT,   /* folder, path */
	ET_CALL_MAKE,       /* path: mkdir, mknod */
	ET_CALL_MAKEAT,     /* folder, path */
	ET_CALL_LINK,       /* -, path: link, symlink */
	ET_CALL_LINKAT,     /* -, -, folder, path */
	ET_CALL_SYMLINKAT,  /* -, folder, path */
	ET_CALL_BIND,       /* descriptor, address, length */
	ET_CALL_SOCKETCALL, /* SYS_BIND, its arguments */
	ET_CALL_FLOCK,      /* descriptor, LOCK_EX */
	ET_CALL_FCNTL,      /* descriptor, command, structure with the type of the lock */
	ET_CALL_EXECVE,     /* path */
	ET_CALL_EXECVEAT,   /* folder, path */
	ET_CALL_SECCOMP,    /* operation, flags with a listener */
};

struct et_scout_row {
	uint32_t arch; /* AUDIT_ARCH_… */
	uint32_t number;
	enum et_scout_call call;
};

/* Returns the rows of this processor, and of 32-bit programs on it; *n is 0 for others. */
const struct et_scout_row *et_scout_rows(size_t *n);

enum { ET_SCOUT_PROGRAM = 256 };
/* Makes the filter that notifies about these calls and allows all others. Returns its length. */
size_t et_scout_program(struct sock_filter out[static ET_SCOUT_PROGRAM]);
