/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads ELF files by libelf. A file may be hostile: it is read, never mapped, because a mapped file
 * that shrinks would end us by SIGBUS, and sizes are checked before memory is allocated.
 */
#pragma once

#include "profile/symbols/object.h"

#ifdef ET_HAVE_DW

#include <gelf.h>

struct et_elf {
	int fd;
	Elf *elf;
	uint64_t size; /* of the file */
};

/* Return ET_OBJECT_READ, or why the file cannot be used; then there is nothing to close. */
enum et_object_state et_elf_open(const char *path, struct et_elf *out) ET_CHECK;
enum et_object_state et_elf_open_image(const void *image, size_t size, struct et_elf *out) ET_CHECK;
void et_elf_close(struct et_elf *e);

/* Returns the contents of a section if it has the type and is of bearable size, else NULL. */
Elf_Data *et_elf_section(const struct et_elf *e, Elf_Scn *section, uint32_t type);
/* Finds a section by name; NULL if there is none. */
Elf_Scn *et_elf_find(const struct et_elf *e, const char *name);

bool et_elf_build_id(const struct et_elf *e, struct et_build_id *out) ET_CHECK;
bool et_elf_has_build_id(const struct et_elf *e, const struct et_build_id *wanted);
/* Whether the file is for processors as the one that we run on, with addresses of 8 bytes. */
bool et_elf_is_native(const struct et_elf *e);
void et_elf_segments(const struct et_elf *e, struct et_object *out);
/* Adds the functions of .symtab, or of .dynsym. Returns whether there is such a section. */
bool et_elf_symbols(const struct et_elf *e, bool all, struct et_symbols *out);
/* Adds the stubs that call functions of libraries, as NAME@plt. */
void et_elf_stubs(const struct et_elf *e, struct et_symbols *out);
/* Adds the ranges of .eh_frame, which have no names. */
void et_elf_ranges(const struct et_elf *e, struct et_symbols *out);

#endif
