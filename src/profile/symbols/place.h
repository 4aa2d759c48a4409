/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a place in code to the number of a function in the profile. */
#pragma once

#include "model/sample/profile.h"

#include <sys/stat.h>

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
