/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/inlines.h"
#include "base/alloc.h"
#include "model/sample/profile.h"
#include "profile/symbols/elf_file.h"

struct et_inlined *et_inlines_find(const struct et_inlines *all, uint64_t address, uint64_t *range)
{
	const struct et_symbol *s = et_symbols_find(&all->ranges, address);

	if (!s)
		return NULL;
	*range = s->start;
	return &all->calls[s->owner];
}

struct et_inlined *et_inlines_outer(const struct et_inlines *all, const struct et_inlined *call)
{
	return call->parent == UINT32_MAX ? NULL : &all->calls[call->parent];
}

const char *et_inlines_name(const struct et_inlines *all, const struct et_inlined *call)
{
	return all->ranges.names + call->name;
}

void et_inlines_free(struct et_inlines *all)
{
	et_symbols_free(&all->ranges);
	free(all->calls);
	*all = (struct et_inlines){ 0 };
}

#ifdef ET_HAVE_DW

#include <dwarf.h>
#include <elfutils/libdw.h>

/* Compilers nest far less; files that were made to exhaust the stack nest more. */
enum { MOST_DEPTH = 200, MOST_CALLS = 1 << 22 };
/* libdw reads all debug information into memory. */
#define MOST_BYTES (UINT64_C(1) << 31)

struct walk {
	struct et_inlines *out;
	uint64_t left; /* entries that may still be visited: against a tree with cycles */
};

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &a));
}

/* The name as the symbol table would have it. */
static const char *name_of(Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_linkage_name);

	if (!name)
		name = text_of(die, DW_AT_MIPS_linkage_name);
	return name ? name : text_of(die, DW_AT_name);
}

/* Adds an inlined call with its ranges. Returns its number, or that of the parent if it has none.
 */
static uint32_t add_call(struct walk *w, Dwarf_Die *die, uint32_t parent)
{
	const char *name = name_of(die);
	struct et_inlines *out = w->out;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	uint32_t number = (uint32_t)out->n;

	if (!name || out->n >= MOST_CALLS)
		return parent;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && w->left) {
		w->left--;
		if (end <= start)
			continue;
		struct et_symbol s = { .start = start, .end = end, .limit = end, .owner = number };
		size_t before = out->ranges.n;
		et_symbols_add(&out->ranges, &s, out->n == number ? name : "");
		if (out->ranges.n == before || out->n != number)
			continue;
		ET_GROW(out->calls, out->n, out->room);
		out->calls[out->n++] = (struct et_inlined){ parent,
			out->ranges.symbols[before].name, ET_PROFILE_NONE };
	}
	return out->n > number ? number : parent;
}

static bool may_have_calls(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
		return true;
	default:
		return false;
	}
}

/* Recursion is bounded by MOST_DEPTH. */
static void visit(struct walk *w, Dwarf_Die *parent, uint32_t within, int depth)
{
	Dwarf_Die die;

	if (depth > MOST_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		if (!w->left)
			return;
		w->left--;
		if (!may_have_calls(tag))
			continue;
		uint32_t number = within;
		if (tag == DW_TAG_inlined_subroutine)
			number = add_call(w, &die, within);
		else if (tag == DW_TAG_subprogram)
			number = UINT32_MAX;
		visit(w, &die, number, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

bool et_inlines_read(const struct et_elf *e, struct et_inlines *out)
{
	Dwarf *dwarf = e->size > MOST_BYTES ? NULL : dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
	/* An entry has at least one byte. */
	struct walk w = { .out = out, .left = e->size };
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	out->ranges.last_wins = true; /* calls come after those that they are part of */
	while (dwarf && w.left && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		visit(&w, &die, UINT32_MAX, 0);
	dwarf_end(dwarf);
	et_symbols_finish(&out->ranges);
	return out->n > 0;
}

#endif
