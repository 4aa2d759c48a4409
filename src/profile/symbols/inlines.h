/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that a compiler has inlined, from the debug information of a file. All ranges are
 * collected once by a walk over the tree of entries: asking libdw for the scopes of each address
 * would search this tree each time.
 */
#pragma once

#include "profile/symbols/symbols.h"

/* A call that was inlined. */
struct et_inlined {
	uint32_t parent; /* the inlined call that it is part of; UINT32_MAX: none */
	uint32_t name;   /* offset in the names of the ranges */
	uint32_t function;
};

struct et_inlines {
	struct et_symbols ranges; /* owner: the number of the call */
	struct et_inlined *calls;
	size_t n, room;
};

/* Returns the innermost inlined call at an address, or NULL. *range is where it begins. */
struct et_inlined *et_inlines_find(const struct et_inlines *all, uint64_t address, uint64_t *range);
/* Returns the call that another one is part of, or NULL. */
struct et_inlined *et_inlines_outer(const struct et_inlines *all, const struct et_inlined *call);
const char *et_inlines_name(const struct et_inlines *all, const struct et_inlined *call);
void et_inlines_free(struct et_inlines *all); /* what it owns */

struct et_elf;
/* Collects them from a file that has debug information. Returns whether it has any. */
bool et_inlines_read(const struct et_elf *e, struct et_inlines *out);
