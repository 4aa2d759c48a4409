/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calling context of a chain of functions. A program may have more contexts than it has
 * samples, so they are bounded: recursion is folded, and of chains that are too deep or too many
 * only the outer part and the innermost function are kept, with ET_FUNCTION_OTHER between them. The
 * innermost function is always right, so what a function has itself does not depend on the bounds.
 */
#pragma once

#include "model/sample/profile.h"

enum {
	ET_MOST_CONTEXTS = 200000, /* then no whole chain is added any more … */
	ET_LAST_CONTEXTS = 210000, /* … and then nothing but functions without callers */
	ET_DEEPEST_CONTEXT = 127,
	ET_MOST_RECURSION = 16, /* calls of a function by itself, one inside the other */
};

/* A chain of functions, outermost first. */
struct et_chain {
	const uint32_t *functions;
	size_t n;    /* at least 1 */
	bool broken; /* its outermost callers are not known: below ET_FUNCTION_BROKEN */
};

/* Returns the node of the chain's innermost function, which is added if it is new. */
uint32_t et_context_of(struct et_profile *p, const struct et_chain *chain);
/*
 * Whether a chain of n functions of the program that ends at this outermost one goes back to where
 * the program or a thread begins. Without frame pointers most have one function only.
 */
bool et_chain_is_whole(const struct et_profile_function *outermost, size_t n);
