/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads which libraries a program needs (DT_NEEDED). The file may be damaged. */
#include "app/doe/first.h"
#include "base/alloc.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct elf {
	const char *bytes;
	size_t size;
	const ElfW(Phdr) * segments;
	size_t n_segments;
	const ElfW(Dyn) * tags;
	size_t n_tags;
};

static bool is_openmp(const char *library)
{
	return !strncmp(library, "libgomp.so", 10) || !strncmp(library, "libomp.so", 9) ||
	       !strncmp(library, "libiomp5.so", 11);
}

static bool read_head(struct elf *e)
{
	const ElfW(Ehdr) *head = (const void *)e->bytes;

	if (e->size < sizeof(*head) || memcmp(e->bytes, ELFMAG, SELFMAG) != 0 ||
		e->bytes[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return false;
	if (head->e_phoff > e->size || head->e_phoff % sizeof(void *) ||
		head->e_phnum > (e->size - head->e_phoff) / sizeof(*e->segments))
		return false;
	e->segments = (const void *)(e->bytes + head->e_phoff);
	e->n_segments = head->e_phnum;
	return true;
}

static bool find_tags(struct elf *e)
{
	for (size_t i = 0; i < e->n_segments; i++) {
		const ElfW(Phdr) *s = &e->segments[i];
		if (s->p_type != PT_DYNAMIC || s->p_offset > e->size ||
			s->p_offset % sizeof(void *))
			continue;
		e->tags = (const void *)(e->bytes + s->p_offset);
		e->n_tags = (e->size - s->p_offset) / sizeof(*e->tags);
	}
	for (size_t i = 0; i < e->n_tags; i++) {
		if (e->tags[i].d_tag == DT_NULL)
			e->n_tags = i;
	}
	return e->n_tags > 0;
}

/* The offset of the table of names, which is given by its address; the file's size: none. */
static size_t find_names(const struct elf *e)
{
	size_t address = 0;

	for (size_t i = 0; i < e->n_tags; i++)
		address = e->tags[i].d_tag == DT_STRTAB ? e->tags[i].d_un.d_ptr : address;
	for (size_t i = 0; i < e->n_segments; i++) {
		const ElfW(Phdr) *s = &e->segments[i];
		if (s->p_type == PT_LOAD && address >= s->p_vaddr &&
			address - s->p_vaddr < s->p_filesz && s->p_offset < e->size)
			return address - s->p_vaddr + s->p_offset;
	}
	return e->size;
}

static bool needs_openmp(struct elf *e)
{
	if (!read_head(e) || !find_tags(e))
		return false;
	size_t names = find_names(e);
	for (size_t i = 0; i < e->n_tags && names < e->size; i++) {
		size_t name = e->tags[i].d_un.d_val;
		if (e->tags[i].d_tag != DT_NEEDED || name >= e->size - names)
			continue;
		const char *library = e->bytes + names + name;
		if (memchr(library, '\0', e->size - names - name) && is_openmp(library))
			return true;
	}
	return false;
}

bool et_doe_uses_openmp(const char *path)
{
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	struct stat st;

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size < EI_NIDENT)
		return false;
	char *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(f), 0);
	if (bytes == MAP_FAILED)
		return false;
	bool found = needs_openmp(&(struct elf){ .bytes = bytes, .size = (size_t)st.st_size });
	munmap(bytes, (size_t)st.st_size);
	return found;
}
