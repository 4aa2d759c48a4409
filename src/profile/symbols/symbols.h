/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of symbols: which function is at an address of a file, of the kernel or of generated
 * code. Symbols are added in any order; then the table is finished, after which no two ranges
 * overlap and a look-up is a binary search. Symbols come from files of strangers: they may overlap,
 * be repeated, wrap around the end of the address space, and have any name.
 */
#pragma once

#include "base/base.h"

/* Where a symbol is from. A range of a better source is never interrupted by a worse one. */
enum et_symbol_source {
	ET_SYMBOL_FUNCTION, /* a symbol of a function */
	ET_SYMBOL_LABEL,    /* a symbol without type in code, as assemblers write them */
	ET_SYMBOL_RANGE,    /* a range of .eh_frame, which has no name */
};

enum et_symbol_binding { ET_SYMBOL_GLOBAL, ET_SYMBOL_LOCAL, ET_SYMBOL_WEAK };

/* The longest name that is kept, in bytes; longer ones are cut. */
enum { ET_MOST_SYMBOL_NAME = 4000 };

struct et_symbol {
	uint64_t start;
	uint64_t end;   /* equal to start: the symbol extends to the next one, but not beyond the
			   limit */
	uint64_t limit; /* end of the section */
	uint32_t name;  /* offset in the names */
	uint32_t owner; /* the caller's: the number of a kernel module, or the age of a line */
	/* Its number in the profile, which the caller keeps here; ET_PROFILE_NONE at first. */
	uint32_t function;
	uint8_t source, binding;
	bool open; /* it had no size; et_symbols_finish sets this, and the end */
};

/* A part of the address space with one symbol. */
struct et_symbol_piece {
	uint64_t start, end;
	uint32_t symbol;
};

struct et_symbols {
	struct et_symbol *symbols;
	size_t n, room;
	char *names;
	size_t names_size, names_room;
	struct et_symbol_piece *pieces; /* ascending and disjoint; made by et_symbols_finish */
	size_t n_pieces;
	bool last_wins; /* of ranges that overlap, the one with the largest `owner` counts */
	bool full;      /* some symbols were omitted: the table has reached its limit */
};

/* Adds a symbol; the members `name` and `function` are set here, and the name is copied. */
void et_symbols_add(struct et_symbols *t, const struct et_symbol *symbol, const char *name);
/* Chooses one symbol for each start and makes the pieces. Nothing can be added afterwards. */
void et_symbols_finish(struct et_symbols *t);
/* Returns the symbol at the address, or NULL. The table keeps it. */
struct et_symbol *et_symbols_find(const struct et_symbols *t, uint64_t address);
const char *et_symbols_name(const struct et_symbols *t, const struct et_symbol *symbol);
void et_symbols_free(struct et_symbols *t); /* what it owns */

/* Names of C++ and Rust as their authors wrote them. */

/* Whether etalon was built with a demangler. */
bool et_demangle_built(void);
/*
 * Returns the readable name of a symbol, which the caller frees, or NULL if it is not mangled, is
 * damaged, or becomes longer than ET_MOST_SYMBOL_NAME. A suffix such as @plt remains.
 */
char *et_demangle(const char *symbol) __attribute__((warn_unused_result));
