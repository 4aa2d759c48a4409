/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/place.h"
#include "base/alloc.h"
#include "profile/symbols/demangle.h"

#include <inttypes.h>

static uint32_t at_address(struct et_profile *p, const struct et_profile_place *place)
{
	ET_AUTO_FREE char *readable = et_demangle(place->name);
	ET_AUTO_FREE char *name =
		et_asprintf("%s+0x%" PRIx64, readable ? readable : place->name, place->distance);

	return et_profile_function_of(p, name, place->module, place->space, place->unnamed);
}

static uint32_t as_whole(struct et_profile *p, const struct et_profile_place *place)
{
	ET_AUTO_FREE char *readable = et_demangle(place->name);

	return et_profile_function_of(
		p, readable ? readable : place->name, place->module, place->space, place->unnamed);
}

uint32_t et_place_function(struct et_profile *p, const struct et_profile_place *place,
	uint32_t *number, struct et_hash *addresses, uint64_t key)
{
	if (p->plan.addresses) {
		if (!addresses)
			return at_address(p, place);
		addresses->width = sizeof(uint64_t);
		uint64_t *kept = et_hash_put(addresses, key + 1 ? key + 1 : 1);
		if (!*kept)
			*kept = 1 + (uint64_t)at_address(p, place);
		return (uint32_t)(*kept - 1);
	}
	if (*number == ET_PROFILE_NONE)
		*number = as_whole(p, place);
	return *number;
}

bool et_is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}
