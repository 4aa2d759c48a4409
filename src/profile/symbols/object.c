/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/object.h"
#include "base/alloc.h"
#include "profile/symbols/debug_file.h"
#include "profile/symbols/elf_file.h"

/* Where the kernel maps a segment, its first page also has the bytes before it. */
static bool holds(const struct et_segment *s, uint64_t offset)
{
	uint64_t before = s->offset & 0xfff;

	return offset + before >= s->offset && offset + before - s->offset < s->size + before;
}

bool et_object_address(const struct et_object *o, uint64_t offset, uint64_t *address)
{
	const struct et_segment *found = NULL;

	for (size_t i = 0; i < o->n_segments; i++) {
		const struct et_segment *s = &o->segments[i];
		if (holds(s, offset) && (!found || (s->executable && !found->executable)))
			found = s;
	}
	if (found)
		*address = found->address + (offset - found->offset);
	return found != NULL;
}

uint64_t et_object_offset(const struct et_object *o, uint64_t address)
{
	for (size_t i = 0; i < o->n_segments; i++) {
		const struct et_segment *s = &o->segments[i];
		if (address - s->address < s->size)
			return address - s->address + s->offset;
	}
	return address;
}

void et_object_free(struct et_object *o)
{
	free(o->segments);
	et_symbols_free(&o->symbols);
	et_inlines_free(&o->inlines);
	*o = (struct et_object){ 0 };
}

#ifdef ET_HAVE_DW

bool et_object_has_symbols(void)
{
	return true;
}

/* Where to read from, and what. */
struct source {
	const char *root, *path; /* NULL: it has no path, so no debug file either */
	bool inlines;
};

/* Adds the symbols, and ranges where there are none. */
static void add_symbols(const struct source *from, const struct et_elf *elf, struct et_object *out)
{
	bool whole = et_elf_symbols(elf, true, &out->symbols);
	bool inlined = from->inlines && et_inlines_read(elf, &out->inlines);
	struct et_elf debug;

	if ((!whole || (from->inlines && !inlined)) && from->path &&
		et_debug_file_open(from->root, from->path, elf, &debug)) {
		if (!whole)
			whole = et_elf_symbols(&debug, true, &out->symbols);
		if (from->inlines && !inlined) {
			et_inlines_free(&out->inlines);
			et_inlines_read(&debug, &out->inlines);
		}
		et_elf_close(&debug);
	}
	if (!whole) {
		et_elf_symbols(elf, false, &out->symbols);
		out->state = ET_OBJECT_STRIPPED;
	}
	et_elf_stubs(elf, &out->symbols);
	et_elf_ranges(elf, &out->symbols);
	et_symbols_finish(&out->symbols);
}

void et_object_read(const char *root, const char *path, const struct et_build_id *wanted,
	bool inlines, struct et_object *out)
{
	struct et_elf elf;

	*out = (struct et_object){ .state = et_elf_open(path, &elf) };
	if (out->state != ET_OBJECT_READ)
		return;
	if (wanted->size && !et_elf_has_build_id(&elf, wanted)) {
		out->state = ET_OBJECT_CHANGED;
	} else {
		et_elf_segments(&elf, out);
		add_symbols(&(struct source){ root, path, inlines }, &elf, out);
	}
	et_elf_close(&elf);
}

void et_object_read_image(const void *image, size_t size, struct et_object *out)
{
	struct et_elf elf;

	*out = (struct et_object){ .state = et_elf_open_image(image, size, &elf) };
	if (out->state != ET_OBJECT_READ)
		return;
	et_elf_segments(&elf, out);
	add_symbols(&(struct source){ 0 }, &elf, out);
	et_elf_close(&elf);
}

#else

bool et_object_has_symbols(void)
{
	return false;
}

void et_object_read(const char *root, const char *path, const struct et_build_id *wanted,
	bool inlines, struct et_object *out)
{
	(void)root, (void)path, (void)wanted, (void)inlines;
	*out = (struct et_object){ .state = ET_OBJECT_UNSUPPORTED };
}

void et_object_read_image(const void *image, size_t size, struct et_object *out)
{
	(void)image, (void)size;
	*out = (struct et_object){ .state = ET_OBJECT_UNSUPPORTED };
}

#endif
