/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calling contexts: recursion is folded, their number is bounded, and broken chains are named. */
#include "base/base.h"
#include "num/rng.h"
#include "profile/sampling/sampler.h"
#include "tap.h"

enum { FUNCTIONS = 50 };

static struct et_profile *fifty(void)
{
	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	char name[16];

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		et_profile_function_of(p, name, "/p", ET_SPACE_USER, false);
	}
	return p;
}

static size_t depth_of(const struct et_profile *p, uint32_t node)
{
	size_t n = 0;

	for (; node != ET_PROFILE_ROOT; node = p->nodes[node].parent)
		n++;
	return n;
}

static bool is_below(const struct et_profile *p, uint32_t node, const char *name)
{
	for (; node != ET_PROFILE_ROOT; node = p->nodes[node].parent) {
		if (!strcmp(p->functions[p->nodes[node].function].name, name))
			return true;
	}
	return false;
}

static void recursion(void)
{
	struct et_profile *p = fifty();
	uint32_t deep[1000] = { 0 };
	size_t different = 0;
	uint32_t last = ET_PROFILE_ROOT;

	for (size_t n = 2; n <= 1000; n++) {
		uint32_t node = et_context_of(p, &(struct et_chain){ deep, n, false });
		different += node != last;
		last = node;
	}
	ok(depth_of(p, last) == ET_MOST_RECURSION && different == ET_MOST_RECURSION - 1,
		"a function that calls itself 1000 times has %d contexts", ET_MOST_RECURSION);
	deep[999] = 1;
	uint32_t leaf = et_context_of(p, &(struct et_chain){ deep, 1000, false });
	ok(p->nodes[leaf].function == 1 && p->nodes[leaf].parent == last,
		"what recursion calls is below it");
	for (uint32_t i = 0; i < 1000; i++)
		deep[i] = 10 + i % 2;
	leaf = et_context_of(p, &(struct et_chain){ deep, 1000, false });
	ok(depth_of(p, leaf) == ET_DEEPEST_CONTEXT + 2 && p->nodes[leaf].function == 11 &&
			is_below(p, leaf, ET_FUNCTION_OTHER) && is_below(p, leaf, "f10"),
		"of a chain that is too deep, the outer part and the innermost function are kept");
	et_profile_free(p);
}

/* As a program whose recursion takes random ways: every chain is new. */
static void bound(void)
{
	struct et_profile *p = fifty();
	struct et_rng rng;
	size_t kept = 0, right = 0, after = 0;
	enum { CHAINS = 60000, DEPTH = 100 };

	et_rng_seed(&rng, 5, 0);
	for (int i = 0; i < CHAINS; i++) {
		uint32_t chain[DEPTH];
		for (size_t k = 0; k < DEPTH; k++)
			chain[k] = (uint32_t)(et_rng_uniform(&rng) * FUNCTIONS);
		uint32_t node = et_context_of(p, &(struct et_chain){ chain, DEPTH, false });
		right += p->nodes[node].function == chain[DEPTH - 1];
		kept += !is_below(p, node, ET_FUNCTION_OTHER);
		if (i == CHAINS / 2)
			after = p->n_nodes;
	}
	ok(p->n_nodes <= ET_LAST_CONTEXTS + FUNCTIONS + 2, "the number of contexts is bounded: %zu",
		p->n_nodes);
	ok(p->n_nodes - after <= FUNCTIONS + 2, "contexts do not grow with samples any more: %zu",
		p->n_nodes - after);
	ok(kept > 1000 && kept < 5000, "the first chains are kept whole: %zu", kept);
	ok(right == CHAINS, "the innermost function is always right");
	et_profile_free(p);
}

static bool whole(const char *name, enum et_space_kind space, bool unnamed, size_t n)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", name);
	struct et_profile_function f = { .name = copy, .space = space, .unnamed = unnamed };
	return et_chain_is_whole(&f, n);
}

static void beginnings(void)
{
	ok(whole("_start", ET_SPACE_USER, false, 5) && whole("main", ET_SPACE_USER, false, 1) &&
			whole("runtime.goexit.abi0", ET_SPACE_USER, false, 3) &&
			whole("main+0x10", ET_SPACE_USER, false, 2),
		"a chain is whole that goes back to where the program begins");
	ok(whole("[0x271d0]", ET_SPACE_USER, true, 3),
		"what calls main() may have no name in the C library");
	ok(!whole("leaf", ET_SPACE_USER, false, 1) && !whole("mid", ET_SPACE_USER, false, 2) &&
			!whole("[0x1130]", ET_SPACE_USER, true, 1) &&
			!whole("mainly", ET_SPACE_USER, false, 2),
		"a function alone, or one that something must have called, is a broken chain");
	ok(!whole("[unknown]", ET_SPACE_UNKNOWN, true, 3),
		"a chain that leads to where no code is, is broken");
}

int main(void)
{
	recursion();
	bound();
	beginnings();
	return tap_done();
}
