/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of the kernel and its modules, from /proc/kallsyms. */
#pragma once

#include "profile/symbols/space.h"
#include "profile/symbols/symbols.h"

struct et_kernel {
	int fd; /* -1: the file cannot be opened, or has been read */
	struct et_symbols symbols;
	char **modules; /* "[kernel]" is the first; NULL ends them */
	size_t n_modules, modules_room;
	uint32_t nameless; /* the function of addresses without a symbol */
	struct et_hash by_address;
};

/*
 * Opens the file. The kernel decides by the rights of the caller at this moment whether it will
 * show addresses; the file is read when the first address is looked up.
 */
void et_kernel_open(struct et_kernel *k, const char *root);
void et_kernel_resolve(
	struct et_kernel *k, struct et_profile *profile, uint64_t address, struct et_resolved *out);
void et_kernel_close(struct et_kernel *k);
