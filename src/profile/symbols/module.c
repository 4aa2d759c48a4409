/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/module.h"

#include <elf.h>
#include <sys/auxv.h>

/* --- functions of the profile --- */

static uint32_t add_function(struct et_profile *p, const struct et_profile_place *place)
{
	ET_AUTO_FREE char *name = et_demangle(place->name) ?: et_strdup(place->name);

	if (p->plan.addresses)
		et_append(&name, "", "+0x%" PRIx64, place->distance);
	return et_profile_function_of(p, name, place->module, place->space, place->unnamed);
}

uint32_t et_place_function(struct et_profile *p, const struct et_profile_place *place,
	uint32_t *number, struct et_hash *addresses, uint64_t key)
{
	if (p->plan.addresses) {
		if (!addresses)
			return add_function(p, place);
		addresses->width = sizeof(uint64_t);
		uint64_t *kept = et_hash_put(addresses, key + 1 ? key + 1 : 1);
		if (!*kept)
			*kept = 1 + (uint64_t)add_function(p, place);
		return (uint32_t)(*kept - 1);
	}
	if (*number == ET_PROFILE_NONE)
		*number = add_function(p, place);
	return *number;
}

bool et_is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Addresses without a symbol are counted by pages of the file. */
enum { PAGE = 4096 };

/* --- which module is mapped --- */

size_t et_mapped_length(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(path), n = strlen(deleted);

	return length > n && !strcmp(path + length - n, deleted) ? length - n : length;
}

static enum et_module_kind kind_of(const char *path)
{
	static const struct {
		const char *begin;
		enum et_module_kind kind;
	} others[] = { { "/memfd:", ET_MODULE_MEMFD }, { "//anon", ET_MODULE_ANONYMOUS },
		{ "/dev/zero", ET_MODULE_ANONYMOUS }, { "/SYSV", ET_MODULE_ANONYMOUS },
		{ "/anon_hugepage", ET_MODULE_ANONYMOUS } };

	if (path[0] != '/')
		return strcmp(path, "[vdso]") ? ET_MODULE_ANONYMOUS : ET_MODULE_VDSO;
	for (size_t i = 0; i < ET_LENGTH(others); i++) {
		if (!strncmp(path, others[i].begin, strlen(others[i].begin)))
			return others[i].kind;
	}
	return ET_MODULE_FILE;
}

/* The mapping, and what tells its file from others. */
struct identity {
	const struct et_mapping *mapping;
	size_t build_id_size;
	struct stat file;
};

static struct identity identify(const struct et_mapping *mapping)
{
	struct identity id = { .mapping = mapping };
	size_t size = mapping->build_id ? mapping->build_id_size : 0;

	if (size && size <= sizeof(((struct et_module *)NULL)->build_id.bytes))
		id.build_id_size = size;
	else if (kind_of(mapping->path) == ET_MODULE_FILE && stat(mapping->path, &id.file) < 0)
		id.file = (struct stat){ 0 };
	return id;
}

static struct et_module *new_module(const struct identity *id)
{
	const struct et_mapping *mapping = id->mapping;
	struct et_module *m = et_calloc(1, sizeof(*m));

	m->mapped = et_strdup(mapping->path);
	m->path = et_strdup(mapping->path);
	m->kind = kind_of(mapping->path);
	size_t length = et_mapped_length(m->path);
	m->deleted = m->kind == ET_MODULE_FILE && m->path[length];
	if (m->deleted)
		m->path[length] = '\0';
	m->by_page.width = sizeof(uint64_t);
	m->nameless = ET_PROFILE_NONE;
	m->file = id->file;
	m->build_id.size = id->build_id_size;
	if (id->build_id_size)
		memcpy(m->build_id.bytes, mapping->build_id, id->build_id_size);
	return m;
}

static bool is_mapped(const struct et_module *m, const struct identity *id)
{
	size_t size = id->build_id_size;

	return !strcmp(m->mapped, id->mapping->path) && m->build_id.size == size &&
	       (size ? !memcmp(m->build_id.bytes, id->mapping->build_id, size)
		     : et_is_same_file(&m->file, &id->file));
}

uint32_t et_modules_of(struct et_modules *m, const struct et_mapping *mapping)
{
	uint64_t key = et_hash_text(mapping->path) | 1, *place; /* its number + 1; 0: it is new */
	struct identity id = identify(mapping);

	m->by_path.width = sizeof(*place);
	while (*(place = et_hash_put(&m->by_path, key)) && !is_mapped(m->list[*place - 1], &id))
		key += 2;
	if (!*place) {
		ET_GROW(m->list, m->n, m->room);
		m->list[m->n++] = new_module(&id);
		*place = m->n;
	}
	return (uint32_t)*place - 1;
}

/* --- its symbols --- */

/* The image of the vDSO is in our own memory. It ends with the section headers. */
static const void *find_vdso(size_t *size)
{
	const char *image = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr head;

	if (!image)
		return NULL;
	memcpy(&head, image, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	*size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
	return image;
}

static void read_module(struct et_modules *all, struct et_module *m)
{
	size_t size;
	const void *vdso = m->kind == ET_MODULE_VDSO ? find_vdso(&size) : NULL;

	m->read = true;
	if (m->kind == ET_MODULE_FILE && m->build_id.size)
		et_profile_note_build(all->profile, m->path, m->build_id.bytes, m->build_id.size);
	if (vdso)
		et_object_read_image(vdso, size, &m->object);
	/* Without a build id, another file in place of a deleted one would not be noticed. */
	else if (m->kind == ET_MODULE_FILE && (!m->deleted || m->build_id.size))
		et_object_read(
			all->root, m->path, &m->build_id, all->profile->plan.inlines, &m->object);
	else
		m->object.state = ET_OBJECT_MISSING;
}

const struct et_cfi *et_modules_cfi(
	struct et_modules *m, uint32_t module, uint64_t offset, uint64_t *address)
{
	struct et_module *its = m->list[module];
	size_t size;
	const void *vdso;

	if (!its->read)
		read_module(m, its);
	if (!et_object_address(&its->object, offset, address))
		return NULL;
	if (!its->cfi_read) {
		its->cfi_read = true;
		vdso = its->kind == ET_MODULE_VDSO ? find_vdso(&size) : NULL;
		its->cfi = vdso ? et_cfi_open_image(vdso, size)
				: et_cfi_open(its->path, &its->build_id);
	}
	return its->cfi;
}

/* --- which function --- */

/* The name of code without a symbol: the offset in the file where it begins. */
static void name_code(uint64_t offset, enum et_object_state state, char name[static 48])
{
	const char *why = state == ET_OBJECT_CHANGED       ? ", file changed"
			  : state == ET_OBJECT_MISSING     ? ", file missing"
			  : state == ET_OBJECT_UNSUPPORTED ? ET_PROFILE_NO_LIBDW
							   : "";

	snprintf(name, 48, "[0x%" PRIx64 "%s]", offset, why);
}

/* Where nothing is known about functions, their code is counted by pages. */
static void resolve_by_page(
	struct et_modules *all, struct et_module *m, uint64_t offset, struct et_resolved *out)
{
	uint64_t page = offset & ~(uint64_t)(PAGE - 1);
	uint64_t *kept = et_hash_put(&m->by_page, page + 1);
	uint32_t number = *kept ? (uint32_t)(*kept - 1) : ET_PROFILE_NONE;
	char name[48];
	struct et_profile_place place = { name, m->path, ET_SPACE_USER, true, offset - page };

	name_code(page, m->object.state, name);
	out->functions[0] =
		et_place_function(all->profile, &place, &number, &m->by_address, offset);
	if (number != ET_PROFILE_NONE)
		*kept = 1 + (uint64_t)number;
}

static void resolve_by_symbol(struct et_modules *all, struct et_module *m, struct et_symbol *symbol,
	uint64_t address, struct et_resolved *out)
{
	struct et_profile_place place = { .name = et_symbols_name(&m->object.symbols, symbol),
		.module = m->path,
		.space = ET_SPACE_USER,
		.unnamed = symbol->source == ET_SYMBOL_RANGE,
		.distance = address - symbol->start };
	char name[48];

	if (place.unnamed) {
		name_code(et_object_offset(&m->object, symbol->start), ET_OBJECT_READ, name);
		place.name = name;
	}
	out->at_entry = !place.distance;
	out->functions[0] =
		et_place_function(all->profile, &place, &symbol->function, &m->by_address, address);
}

/* Puts the inlined functions before the function that contains them. */
static void resolve_inlined(
	struct et_modules *all, struct et_module *m, uint64_t address, struct et_resolved *out)
{
	const struct et_inlines *inlines = &m->object.inlines;
	uint64_t begin;
	struct et_inlined *call = et_inlines_find(inlines, address, &begin);
	uint32_t function = out->functions[0];

	if (!call)
		return;
	out->at_entry = address == begin;
	out->n = 0;
	for (; call && out->n < ET_MOST_INLINED - 1; call = et_inlines_outer(inlines, call)) {
		struct et_profile_place place = { et_inlines_name(inlines, call), m->path,
			ET_SPACE_USER, .distance = address - begin };
		out->functions[out->n++] =
			et_place_function(all->profile, &place, &call->function, NULL, 0);
	}
	out->functions[out->n++] = function;
}

bool et_modules_may_be_generated(const struct et_modules *m, uint32_t module)
{
	enum et_module_kind kind = m->list[module]->kind;

	return kind == ET_MODULE_ANONYMOUS || kind == ET_MODULE_MEMFD;
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
		struct et_profile_place place = { "[anonymous]", "[unknown]", ET_SPACE_UNKNOWN,
			true, offset };
		out->functions[0] = et_place_function(
			m->profile, &place, &its->nameless, &its->by_address, offset);
		return;
	}
	struct et_symbol *symbol = et_object_address(&its->object, offset, &address)
					   ? et_symbols_find(&its->object.symbols, address)
					   : NULL;
	if (symbol) {
		resolve_by_symbol(m, its, symbol, address, out);
		resolve_inlined(m, its, address, out);
	} else {
		resolve_by_page(m, its, offset, out);
	}
}

void et_modules_free(struct et_modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct et_module *its = m->list[i];
		et_cfi_close(its->cfi);
		et_object_free(&its->object);
		et_hash_free(&its->by_page);
		et_hash_free(&its->by_address);
		free(its->mapped);
		free(its->path);
		free(its);
	}
	free(m->list);
	et_hash_free(&m->by_path);
}
