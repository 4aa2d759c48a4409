/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A module is a file that processes map with the right to execute, or another place where code is:
 * the kernel, the vDSO, memory without a file. Its symbols are read when they are first needed, and
 * kept. It turns addresses into functions of the profile.
 */
#pragma once

#include "profile/symbols/cfi.h"
#include "profile/symbols/object.h"
#include "profile/symbols/space.h"

#include <sys/stat.h>

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
