/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/object.h"
#include "model/sample/profile.h"
#include "profile/symbols/elf_file.h"

bool et_object_address(const struct et_object *o, uint64_t offset, uint64_t *address)
{
	const struct et_segment *found = NULL;

	for (size_t i = 0; i < o->n_segments; i++) {
		const struct et_segment *s = &o->segments[i];
		/* Where the kernel maps a segment, its first page also has the bytes before it. */
		uint64_t before = s->offset & 0xfff, at = offset + before;
		if (at >= s->offset && at - s->offset < s->size + before &&
			(!found || (s->executable && !found->executable)))
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

bool et_object_has_symbols(void)
{
	return true;
}

/* --- separate debug files, as distributions package them --- */

/* Larger files are not checked, and not used unless they have a build id. */
#define MOST_CHECKED (UINT64_C(1) << 30)

/* The CRC-32 of IEEE 802.3, bit by bit with a table of 16: .gnu_debuglink has it. */
static uint32_t crc_of(uint32_t crc, const unsigned char *bytes, size_t n)
{
	static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		crc = table[crc & 15] ^ (crc >> 4);
		crc = table[crc & 15] ^ (crc >> 4);
	}
	return ~crc;
}

static bool has_crc(const struct et_elf *e, uint32_t wanted)
{
	unsigned char buf[16384];
	uint64_t at = 0;
	uint32_t crc = 0;

	if (e->size > MOST_CHECKED)
		return false;
	for (ssize_t n; (n = pread(e->fd, buf, sizeof(buf), (off_t)at)) > 0; at += (uint64_t)n)
		crc = crc_of(crc, buf, (size_t)n);
	return at == e->size && crc == wanted;
}

/* The properties by which the debug file of a file is found. */
struct link {
	struct et_build_id id; /* empty: it has none */
	char name[256];        /* "": it has no link */
	uint32_t crc;
};

static void read_link(const struct et_elf *e, struct link *out)
{
	*out = (struct link){ 0 };
	if (!et_elf_build_id(e, &out->id))
		out->id.size = 0;
	const Elf_Data *data = et_elf_section(e, et_elf_find(e, ".gnu_debuglink"), SHT_PROGBITS);
	if (!data)
		return;
	size_t length = strnlen(data->d_buf, data->d_size), at = (length + 4) & ~(size_t)3;
	if (!length || length >= sizeof(out->name) || memchr(data->d_buf, '/', length) ||
		data->d_size < at + 4)
		return;
	memcpy(out->name, data->d_buf, length);
	/* In the byte order of the file, as all that we can profile: our own. */
	memcpy(&out->crc, (const char *)data->d_buf + at, 4);
}

/* Opens the path, which is freed, if it is the debug file. */
static bool try(char *path, const struct link *l, struct et_elf *out)
{
	enum et_object_state state = et_elf_open(path, out);

	free(path);
	if (state != ET_OBJECT_READ)
		return false;
	if (l->id.size ? et_elf_has_build_id(out, &l->id) : has_crc(out, l->crc))
		return true;
	et_elf_close(out);
	return false;
}

/*
 * Opens the debug file of the file at `path`: by the build id below /usr/lib/debug/.build-id, or by
 * .gnu_debuglink beside the file, in its folder .debug and below /usr/lib/debug. It must have the
 * same build id, or if neither has one, the checksum of the link. False: there is none.
 */
static bool open_debug_file(
	const char *root, const char *path, const struct et_elf *file, struct et_elf *out)
{
	const char *slash = strrchr(path, '/');
	struct link l;

	read_link(file, &l);
	if (l.id.size > 1) {
		char *by_id = et_asprintf("%s/usr/lib/debug/.build-id/%02x/", root, l.id.bytes[0]);
		for (size_t i = 1; i < l.id.size; i++)
			et_append(&by_id, "", "%02x", l.id.bytes[i]);
		et_append(&by_id, "", ".debug");
		if (try(by_id, &l, out))
			return true;
	}
	if (!*l.name || !slash)
		return false;
	int folder = (int)(slash - path);
	return try(et_asprintf("%.*s/%s", folder, path, l.name), &l, out) ||
	       try(et_asprintf("%.*s/.debug/%s", folder, path, l.name), &l, out) ||
	       try(et_asprintf("%s/usr/lib/debug%.*s/%s", root, folder, path, l.name), &l, out);
}

/* --- inlined functions --- */

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
	return text_of(die, DW_AT_linkage_name) ?: text_of(die, DW_AT_MIPS_linkage_name)
		?: text_of(die, DW_AT_name);
}

/* Adds an inlined call with its ranges. Returns its number; if it has none, the parent's. */
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

/* Collects the inlined calls of a file with debug information. Returns whether it has any. */
static bool read_inlines(const struct et_elf *e, struct et_inlines *out)
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

/* --- the whole file --- */

/* Adds the symbols, and ranges where there are none; without a path there is no debug file. */
static void add_symbols(const char *root, const char *path, bool inlines, const struct et_elf *elf,
	struct et_object *out)
{
	bool whole = et_elf_symbols(elf, true, &out->symbols);
	bool inlined = inlines && read_inlines(elf, &out->inlines);
	struct et_elf debug;

	if ((!whole || (inlines && !inlined)) && path && open_debug_file(root, path, elf, &debug)) {
		if (!whole)
			whole = et_elf_symbols(&debug, true, &out->symbols);
		if (inlines && !inlined) {
			et_inlines_free(&out->inlines);
			read_inlines(&debug, &out->inlines);
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
		add_symbols(root, path, inlines, &elf, out);
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
	add_symbols(NULL, NULL, false, &elf, out);
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
