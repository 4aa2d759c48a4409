/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that a process has compiled itself, from the map file that its compiler writes for
 * profilers: /tmp/perf-PID.map with lines "START SIZE NAME". Anyone may write it: it is bounded,
 * must belong to root, to us, to the user as whom the program was started or to the owner of the
 * process, and must not be a symbolic link.
 */
#pragma once

#include "profile/symbols/space.h"
#include "profile/symbols/symbols.h"

#include <sys/stat.h>

struct et_jit {
	pid_t process;
	uid_t user; /* as whom the program was started; 0: not known */
	struct et_symbols symbols;
	struct stat seen; /* the file as it was read */
	bool read;
	uint64_t misses; /* look-ups without result since then */
	uint64_t hits;   /* and those with one */
};

/* Finds the function at an address. Returns false if the process has no such map, or no function.
 */
bool et_jit_resolve(struct et_jit *j, const char *root, struct et_profile *profile,
	uint64_t address, struct et_resolved *out);
void et_jit_free(struct et_jit *j); /* itself, too; NULL is fine */
