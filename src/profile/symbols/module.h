/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A module is a file that processes map with the right to execute, or another place where code is:
 * the kernel, the vDSO, memory without a file. Its symbols are read when they are first needed, and
 * kept. It turns addresses into functions of the profile.
 */
#pragma once

#include "profile/symbols/cfi.h"
#include "profile/symbols/space.h"

#include <sys/stat.h>

/* From a place in code to the number of a function in the profile. */
struct et_profile_place {
	const char *name, *module;
	enum et_space_kind space;
	bool unnamed;
	uint64_t distance; /* of the address from the begin of the function */
};

/*
 * Returns the function of a place. *number keeps it: ET_PROFILE_NONE at first. If the plan makes
 * each address a function, its number is kept in `addresses` under the key; NULL: it is not kept.
 */
uint32_t et_place_function(struct et_profile *p, const struct et_profile_place *place,
	uint32_t *number, struct et_hash *addresses, uint64_t key);

/* Whether two looks at a path found the same file, which has not changed between them. */
bool et_is_same_file(const struct stat *a, const struct stat *b);

enum et_module_kind {
	ET_MODULE_FILE,
	ET_MODULE_VDSO,
	ET_MODULE_ANONYMOUS,
	ET_MODULE_MEMFD, /* memory with a name, but not one of the file system */
};

struct et_module {
	char *mapped; /* the path as the kernel wrote it */
	char *path;   /* as the profile shows it */
	enum et_module_kind kind;
	struct et_build_id build_id;
	struct stat file; /* as it was when it was mapped, if it has no build id; otherwise zeros */
	bool deleted;     /* before it was mapped, or meanwhile */
	bool read, cfi_read;
	struct et_object object;
	struct et_cfi *cfi; /* NULL: it has none */
	/* The numbers of functions: by page of the file, and by address (plan.addresses). */
	struct et_hash by_page, by_address;
	uint32_t nameless; /* the function of memory without a file */
};

struct et_modules {
	const char *root;
	struct et_profile *profile;
	struct et_module **list;
	size_t n, room;
	struct et_hash by_path;
};

/* Returns the number of the module that was mapped, which is added if it is new. */
uint32_t et_modules_of(struct et_modules *m, const struct et_mapping *mapping);
/* Whether the module is memory without a file, where programs put code that they generate. */
bool et_modules_may_be_generated(const struct et_modules *m, uint32_t module);
/* The function at an offset of the module's file. */
void et_modules_resolve(
	struct et_modules *m, uint32_t module, uint64_t offset, struct et_resolved *out);
/* Returns the call frame information for an offset of the module's file, or NULL. */
const struct et_cfi *et_modules_cfi(
	struct et_modules *m, uint32_t module, uint64_t offset, uint64_t *address);
/* The same for an address of a process; part of space.c. */
const struct et_cfi *et_spaces_cfi(
	struct et_spaces *s, pid_t process, uint64_t address, uint64_t *in_file);
void et_modules_free(struct et_modules *m); /* what it owns */

/* The functions of the kernel and its modules, from /proc/kallsyms. */
struct et_kernel {
	int fd; /* -1: the file cannot be opened, or has been read */
	struct et_symbols symbols;
	char **modules; /* "[kernel]" is the first; NULL ends them */
	size_t n_modules, modules_room;
	uint32_t nameless; /* the function of addresses without a symbol */
	struct et_hash by_address;
};

/* Opens the file: our rights now decide about addresses. It is read when one is looked up. */
void et_kernel_open(struct et_kernel *k, const char *root);
void et_kernel_resolve(
	struct et_kernel *k, struct et_profile *profile, uint64_t address, struct et_resolved *out);
void et_kernel_close(struct et_kernel *k);

/*
 * The functions that a process has compiled itself, from the map file that its compiler writes for
 * profilers: /tmp/perf-PID.map with lines "START SIZE NAME". Anyone may write it: it is bounded,
 * must belong to root, to us, to the user as whom the program was started or to the owner of the
 * process, and must not be a symbolic link.
 */
struct et_jit {
	pid_t process;
	uid_t user; /* as whom the program was started; 0: not known */
	struct et_symbols symbols;
	struct stat seen; /* the file as it was read */
	bool read;
	uint64_t misses; /* look-ups without result since then */
	uint64_t hits;   /* and those with one */
};

/* Finds the function at an address. False: the process has no such map, or no function there. */
bool et_jit_resolve(struct et_jit *j, const char *root, struct et_profile *profile,
	uint64_t address, struct et_resolved *out);
void et_jit_free(struct et_jit *j); /* itself, too; NULL is fine */
