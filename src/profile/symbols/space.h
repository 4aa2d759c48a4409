/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The address spaces of profiled processes, and what is at an address: which file was mapped there
 * at that moment, and which function of that file. The records of the kernel about mappings, forks
 * and execs are applied in the order of time; an address is looked up between them. Everything that
 * comes from files of programs is hostile until parsed.
 */
#pragma once

#include "model/sample/profile.h"

#include <sys/types.h>

struct et_spaces;

/*
 * The functions that are found are added to the profile, which must outlive the spaces. /proc, the
 * map files of /tmp and separate debug files are looked for below the root ("": the machine
 * itself); programs and libraries are opened by the paths of their mappings.
 */
struct et_spaces *et_spaces_new(const char *root, struct et_profile *profile);
void et_spaces_free(struct et_spaces *s); /* NULL is fine */

/* The program is started as this user: maps of generated code that belong to him are used. */
void et_spaces_set_user(struct et_spaces *s, uid_t user);

/* A file, or memory without one, that a process has mapped with the right to execute. */
struct et_mapping {
	uint64_t start, length;
	uint64_t offset;               /* in the file */
	const char *path;              /* as the kernel writes it: a path, "[vdso]", "//anon" … */
	const unsigned char *build_id; /* NULL: not known */
	size_t build_id_size;
};

/* The length of such a path without the " (deleted)" that the kernel appends. */
size_t et_mapped_length(const char *path);

void et_spaces_map(struct et_spaces *s, pid_t process, const struct et_mapping *m);
void et_spaces_fork(struct et_spaces *s, pid_t process, pid_t parent); /* copies the mappings */
void et_spaces_forget(struct et_spaces *s, pid_t process); /* it ended, or called execve() */
/* A run has ended: forgets all processes, but keeps the symbols of the files. */
void et_spaces_clear(struct et_spaces *s);

enum { ET_MOST_INLINED = 16 };

/* The function at an address. */
struct et_resolved {
	/* The function, and if the plan asks for inlines, those that it was inlined into. */
	uint32_t functions[ET_MOST_INLINED];
	size_t n;      /* at least 1 */
	bool at_entry; /* the address is the first of the function */
};

/* A caller is looked up by its return address minus 1: the call may be its last instruction. */
void et_spaces_resolve(
	struct et_spaces *s, pid_t process, bool kernel, uint64_t address, struct et_resolved *out);
/* The same for an offset in a file, by its path and build id alone. */
void et_spaces_resolve_offset(struct et_spaces *s, const struct et_mapping *file, uint64_t offset,
	struct et_resolved *out);
/* Finds where the file `path` is mapped around the address: fills start, length and offset. */
bool et_spaces_find(struct et_spaces *s, pid_t process, const char *path, uint64_t address,
	struct et_mapping *out) ET_CHECK;

/* The registers and a copy of the stack of a thread in user mode, as a sample has them. */
struct et_user_state {
	const uint64_t *registers; /* those of et_unwind_registers, ascending by bit */
	size_t n_registers;
	const void *stack; /* from the stack pointer upwards */
	size_t stack_bytes;
};

/* Returns the mask for attr.sample_regs_user; 0: unwinding is not possible on this machine. */
uint64_t et_unwind_registers(void);
/*
 * Finds the callers (ET_CHAINS_DWARF). Writes at most `most` addresses: the instruction pointer,
 * then the callers', inside their call instructions, ready for et_spaces_resolve. Returns their
 * number, at least 1 if the registers are there.
 */
size_t et_spaces_unwind(struct et_spaces *s, pid_t process, const struct et_user_state *state,
	uint64_t *frames, size_t most);
