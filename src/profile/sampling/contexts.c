/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/contexts.h"

#include <string.h>

static uint32_t child_by_name(struct et_profile *p, uint32_t node, const char *name)
{
	return et_profile_node_of(p, node,
		et_profile_function_of(p, name, ET_MODULE_UNKNOWN, ET_SPACE_UNKNOWN, false));
}

/* The innermost function of a chain of which the part up to this node is kept. */
static uint32_t shortened(struct et_profile *p, uint32_t node, uint32_t innermost)
{
	if (p->n_nodes >= ET_LAST_CONTEXTS)
		node = ET_PROFILE_ROOT;
	return et_profile_node_of(p, child_by_name(p, node, ET_FUNCTION_OTHER), innermost);
}

uint32_t et_context_of(struct et_profile *p, const struct et_chain *chain)
{
	const uint32_t *functions = chain->functions, innermost = functions[chain->n - 1];
	uint32_t node = ET_PROFILE_ROOT;
	size_t repeated = 0, depth = 1;

	if (chain->broken)
		node = child_by_name(p, node, ET_FUNCTION_BROKEN);
	for (size_t i = 0; i < chain->n; i++) {
		repeated = i && functions[i] == functions[i - 1] ? repeated + 1 : 0;
		if (repeated >= ET_MOST_RECURSION)
			continue;
		if (depth++ > ET_DEEPEST_CONTEXT)
			return shortened(p, node, innermost);
		uint32_t next = et_profile_find_node(p, node, functions[i]);
		if (next == ET_PROFILE_NONE && p->n_nodes >= ET_MOST_CONTEXTS)
			return shortened(p, node, innermost);
		node = next != ET_PROFILE_NONE ? next : et_profile_node_of(p, node, functions[i]);
	}
	return node;
}

/* --- where programs begin --- */

/* In glibc, musl and Go. */
static const char *const beginnings[] = { "_start", "main", "__libc_start_main",
	"__libc_start_main_impl", "__libc_start_call_main", "generic_start_main", "_start_c",
	"start_thread", "start", "clone", "__clone", "clone3", "__clone3", "_dl_start",
	"_dl_start_user", "_dlstart", "runtime.main", "runtime.goexit", "runtime.mstart",
	"runtime.mcall", "runtime.morestack", "runtime.systemstack", "runtime.rt0_go" };

static bool is_beginning(const char *name)
{
	/* Without an offset, a version, or ".abi0" of Go and ".cold" of gcc. */
	size_t n = strcspn(name, "+@");

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		size_t m = strlen(beginnings[i]);
		if (n >= m && !strncmp(name, beginnings[i], m) && (n == m || name[m] == '.'))
			return true;
	}
	return false;
}

/* The C library is often stripped, so what calls main() or a thread's function has no name. */
bool et_chain_is_whole(const struct et_profile_function *outermost, size_t n)
{
	if (outermost->unnamed)
		return n > 1 && outermost->space != ET_SPACE_UNKNOWN;
	return is_beginning(outermost->name);
}
