/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/module.h"
#include "base/alloc.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>
#include <sys/auxv.h>

/* Addresses without a symbol are counted by pages of the file. */
enum { PAGE = 4096 };

/* --- which module is mapped --- */

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static enum et_module_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return ET_MODULE_VDSO;
	if (path[0] != '/' || begins_with(path, "//anon") || begins_with(path, "/dev/zero") ||
		begins_with(path, "/SYSV") || begins_with(path, "/anon_hugepage"))
		return ET_MODULE_ANONYMOUS;
	return ET_MODULE_FILE;
}

static struct et_module *new_module(const struct et_mapping *mapping)
{
	struct et_module *m = et_calloc(1, sizeof(*m));
	size_t size = mapping->build_id ? mapping->build_id_size : 0;

	m->path = et_strdup(mapping->path);
	m->kind = kind_of(mapping->path);
	m->by_page.width = m->by_address.width = sizeof(uint64_t);
	if (size <= sizeof(m->build_id.bytes)) {
		m->build_id.size = size;
		if (size)
			memcpy(m->build_id.bytes, mapping->build_id, size);
	}
	return m;
}

static bool is_mapped(const struct et_module *m, const struct et_mapping *mapping)
{
	size_t size = mapping->build_id ? mapping->build_id_size : 0;

	size = size <= sizeof(m->build_id.bytes) ? size : 0;
	return !strcmp(m->path, mapping->path) && m->build_id.size == size &&
	       (!size || !memcmp(m->build_id.bytes, mapping->build_id, size));
}

uint32_t et_modules_of(struct et_modules *m, const struct et_mapping *mapping)
{
	uint64_t key = et_hash_text(mapping->path) | 1;

	m->by_path.width = sizeof(uint64_t);
	for (;; key += 2) {
		const uint64_t *found = et_hash_find(&m->by_path, key);
		if (!found)
			break;
		if (is_mapped(m->list[*found], mapping))
			return (uint32_t)*found;
	}
	*(uint64_t *)et_hash_put(&m->by_path, key) = m->n;
	ET_GROW(m->list, m->n, m->room);
	m->list[m->n] = new_module(mapping);
	return (uint32_t)m->n++;
}

/* --- its symbols --- */

/* The image of the vDSO is in our own memory. It ends with the section headers. */
static void read_vdso(struct et_object *out)
{
	const char *image = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr head;

	*out = (struct et_object){ .state = ET_OBJECT_MISSING };
	if (!image)
		return;
	memcpy(&head, image, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	et_object_read_image(image, head.e_shoff + (size_t)head.e_shnum * head.e_shentsize, out);
}

static void read_module(struct et_modules *all, struct et_module *m)
{
	m->read = true;
	if (m->kind == ET_MODULE_VDSO)
		read_vdso(&m->object);
	else if (m->kind == ET_MODULE_FILE)
		et_object_read(all->root, m->path, &m->build_id, &m->object);
	else
		m->object.state = ET_OBJECT_MISSING;
}

/* --- which function --- */

/* Returns the function of the address itself, if the plan wants each address to be one. */
static uint32_t function_at(struct et_modules *all, struct et_module *m, uint64_t key,
	const char *name, uint64_t distance, bool unnamed)
{
	uint64_t *kept = et_hash_put(&m->by_address, key + 1 ? key + 1 : 1);

	if (!*kept) {
		char *text = et_asprintf("%s+0x%" PRIx64, name, distance);
		*kept = 1 + (uint64_t)et_profile_function_of(
				    all->profile, text, m->path, ET_SPACE_USER, unnamed);
		free(text);
	}
	return (uint32_t)(*kept - 1);
}

/* The name of code without a symbol: the offset in the file where it begins. */
static void offset_name(uint64_t offset, char name[32])
{
	snprintf(name, 32, "[0x%" PRIx64 "]", offset);
}

static void resolve_by_page(
	struct et_modules *all, struct et_module *m, uint64_t offset, struct et_resolved *out)
{
	uint64_t page = offset & ~(uint64_t)(PAGE - 1);
	char name[32];

	offset_name(page, name);
	if (all->profile->plan.addresses) {
		out->functions[0] = function_at(all, m, offset, name, offset - page, true);
		return;
	}
	uint64_t *kept = et_hash_put(&m->by_page, page + 1);
	if (!*kept)
		*kept = 1 + (uint64_t)et_profile_function_of(
				    all->profile, name, m->path, ET_SPACE_USER, true);
	out->functions[0] = (uint32_t)(*kept - 1);
}

static void resolve_by_symbol(struct et_modules *all, struct et_module *m, struct et_symbol *symbol,
	uint64_t address, struct et_resolved *out)
{
	const char *name = et_symbols_name(&m->object.symbols, symbol);

	out->at_entry = address == symbol->start;
	if (all->profile->plan.addresses) {
		out->functions[0] =
			function_at(all, m, address, name, address - symbol->start, false);
		return;
	}
	if (symbol->function == ET_PROFILE_NONE)
		symbol->function =
			et_profile_function_of(all->profile, name, m->path, ET_SPACE_USER, false);
	out->functions[0] = symbol->function;
}

static void resolve_anonymous(struct et_modules *all, struct et_module *m, struct et_resolved *out)
{
	uint64_t *kept = et_hash_put(&m->by_page, 1);

	if (!*kept)
		*kept = 1 + (uint64_t)et_profile_function_of(all->profile, "[anonymous]",
				    "[unknown]", ET_SPACE_UNKNOWN, true);
	out->functions[0] = (uint32_t)(*kept - 1);
}

void et_modules_resolve(
	struct et_modules *m, uint32_t module, uint64_t offset, struct et_resolved *out)
{
	struct et_module *its = m->list[module];
	uint64_t address;

	*out = (struct et_resolved){ .n = 1 };
	if (!its->read)
		read_module(m, its);
	if (its->kind == ET_MODULE_ANONYMOUS) {
		resolve_anonymous(m, its, out);
		return;
	}
	struct et_symbol *symbol = et_object_address(&its->object, offset, &address)
					   ? et_symbols_find(&its->object.symbols, address)
					   : NULL;
	if (symbol)
		resolve_by_symbol(m, its, symbol, address, out);
	else
		resolve_by_page(m, its, offset, out);
}

void et_modules_free(struct et_modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct et_module *its = m->list[i];
		et_object_free(&its->object);
		et_hash_free(&its->by_page);
		et_hash_free(&its->by_address);
		free(its->path);
		free(its);
	}
	free(m->list);
	et_hash_free(&m->by_path);
}
