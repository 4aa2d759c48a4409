/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file with code, or its image: segments and symbols. Without symbols, its state says why. */
#pragma once

#include "profile/symbols/symbols.h"

/*
 * The inlined functions of a file, by its debug information. All ranges are collected once, on a
 * walk over the entries, which libdw would search for each address.
 */

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

enum et_object_state {
	ET_OBJECT_READ,       /* functions have names */
	ET_OBJECT_STRIPPED,   /* it has no symbols, or only those that it exports */
	ET_OBJECT_CHANGED,    /* it is not the file that was mapped: the build id differs */
	ET_OBJECT_MISSING,    /* it cannot be opened, or was deleted */
	ET_OBJECT_UNREADABLE, /* it is not an ELF file, or a damaged one */
	ET_OBJECT_UNSUPPORTED /* etalon was built without libdw */
};

/* A segment that is loaded into memory. */
struct et_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;      /* of its first byte, as the symbols count */
	bool executable;
};

struct et_object {
	enum et_object_state state;
	struct et_segment *segments;
	size_t n_segments;
	struct et_symbols symbols;
	struct et_inlines inlines; /* empty unless they were asked for */
};

struct et_build_id {
	size_t size; /* 0: not known */
	unsigned char bytes[64];
};

/* Was etalon built with libdw? Without, no file has symbols. */
bool et_object_has_symbols(void);
/* Reads the file, if `wanted` is empty or its build id. Debug files are looked for below `root`. */
void et_object_read(const char *root, const char *path, const struct et_build_id *wanted,
	bool inlines, struct et_object *out);
/* Reads an image in memory, which must remain until the return. */
void et_object_read_image(const void *image, size_t size, struct et_object *out);
/* Sets *address to where the symbols have the byte at `offset` of the file. */
bool et_object_address(const struct et_object *o, uint64_t offset, uint64_t *address);
/* Returns the offset in the file of an address, or the address itself if it is in no segment. */
uint64_t et_object_offset(const struct et_object *o, uint64_t address);
void et_object_free(struct et_object *o); /* what it owns */
