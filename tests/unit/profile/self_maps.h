/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells the address spaces what the test itself has mapped. */
#pragma once

#include "profile/symbols/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static inline void map_self(struct et_spaces *s, pid_t process)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		uint64_t from, to, offset;
		char rights[5], path[3000] = "";
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %2999[^\n]",
			    &from, &to, rights, &offset, path) >= 4 &&
			strchr(rights, 'x'))
			et_spaces_map(s, process,
				&(struct et_mapping){ .start = from,
					.length = to - from,
					.offset = offset,
					.path = *path ? path : "//anon" });
	}
	if (f)
		fclose(f);
}
