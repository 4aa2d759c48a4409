/* SPDX-License-Identifier: MIT */
/* Finds the name that a user probably meant by a misspelled one. */
#pragma once

#include <stddef.h>

struct et_nearest {
	const char *typed;
	const char *best; /* NULL: no name is near enough */
	size_t least;     /* how many letters of the best one differ */
};

struct et_nearest et_nearest_to(const char *typed);
/* Offers a name, which must outlive *n. The first of the nearest ones becomes the best. */
void et_nearest_offer(struct et_nearest *n, const char *name);
