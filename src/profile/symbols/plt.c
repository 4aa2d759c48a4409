/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stubs of the procedure linkage table, by which a program calls functions of libraries. They
 * have no symbols. Each has a relocation, which names the function: the one with the i-th offset
 * belongs to the i-th stub.
 */
#include "base/alloc.h"
#include "profile/symbols/elf_file.h"

#ifdef ET_HAVE_DW

#include <string.h>

struct stubs {
	uint64_t address, size; /* of the section */
	uint64_t head;          /* bytes before the first stub */
	uint64_t width;         /* of a stub */
};

static bool find_section(const struct et_elf *e, const char *name, GElf_Shdr *out)
{
	Elf_Scn *s = et_elf_find(e, name);

	return s && gelf_getshdr(s, out) && out->sh_type == SHT_PROGBITS;
}

/* As GNU ld lays them out. */
static bool find_stubs(const struct et_elf *e, struct stubs *out)
{
	GElf_Ehdr head;
	GElf_Shdr section;

	if (!gelf_getehdr(e->elf, &head))
		return false;
	bool x86 = head.e_machine == EM_X86_64 || head.e_machine == EM_386;
	if (!x86 && head.e_machine != EM_AARCH64)
		return false;
	if (x86 && find_section(e, ".plt.sec", &section))
		*out = (struct stubs){ .head = 0, .width = 16 };
	else if (find_section(e, ".plt", &section))
		*out = (struct stubs){ .head = x86 ? 16 : 32, .width = 16 };
	else
		return false;
	if (!x86 && section.sh_entsize > 16 && section.sh_entsize <= 64)
		out->width = section.sh_entsize;
	out->address = section.sh_addr;
	out->size = section.sh_size;
	return true;
}

struct slot {
	uint64_t offset, symbol;
};

static int by_offset(const void *a, const void *b)
{
	const struct slot *sa = a, *sb = b;

	return (sa->offset > sb->offset) - (sa->offset < sb->offset);
}

/* Returns the relocations in the order of the stubs. */
static struct slot *read_slots(const struct et_elf *e, Elf_Data *data, bool with_addend, size_t *n)
{
	size_t width = gelf_fsize(e->elf, with_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	size_t most = width ? data->d_size / width : 0;
	struct slot *slots = et_calloc(most + 1, sizeof(*slots));

	for (*n = 0; *n < most; (*n)++) {
		GElf_Rela r;
		GElf_Rel plain;
		if (with_addend ? !gelf_getrela(data, (int)*n, &r)
				: !gelf_getrel(data, (int)*n, &plain))
			break;
		slots[*n] = with_addend ? (struct slot){ r.r_offset, GELF_R_SYM(r.r_info) }
					: (struct slot){ plain.r_offset, GELF_R_SYM(plain.r_info) };
	}
	qsort(slots, *n, sizeof(*slots), by_offset);
	return slots;
}

/* Returns the name of a dynamic symbol, or NULL. */
static const char *name_of(const struct et_elf *e, Elf_Data *symbols, size_t strings, uint64_t i)
{
	GElf_Sym s;

	if (!i || i > INT32_MAX || !gelf_getsym(symbols, (int)i, &s) || !s.st_name)
		return NULL;
	return elf_strptr(e->elf, strings, s.st_name);
}

static void add_stub(const struct stubs *stubs, size_t i, const char *name, struct et_symbols *out)
{
	struct et_symbol s = { .start = stubs->address + stubs->head + i * stubs->width,
		.source = ET_SYMBOL_LABEL };
	char *full = et_asprintf("%.*s@plt", ET_MOST_SYMBOL_NAME - 4, name);

	s.end = s.limit = s.start + stubs->width;
	et_symbols_add(out, &s, full);
	free(full);
}

void et_elf_stubs(const struct et_elf *e, struct et_symbols *out)
{
	Elf_Scn *relocations = et_elf_find(e, ".rela.plt"), *dynamic;
	bool with_addend = relocations != NULL;
	GElf_Shdr header, table, strings;
	struct stubs stubs;

	if (!relocations)
		relocations = et_elf_find(e, ".rel.plt");
	Elf_Data *data = et_elf_section(e, relocations, with_addend ? SHT_RELA : SHT_REL);
	if (!data || !gelf_getshdr(relocations, &header) || !find_stubs(e, &stubs))
		return;
	dynamic = elf_getscn(e->elf, header.sh_link);
	Elf_Data *symbols = et_elf_section(e, dynamic, SHT_DYNSYM);
	if (!symbols || !gelf_getshdr(dynamic, &table))
		return;
	Elf_Scn *names = elf_getscn(e->elf, table.sh_link);
	if (!gelf_getshdr(names, &strings) || !et_elf_section(e, names, SHT_STRTAB))
		return;
	uint64_t fit = stubs.size > stubs.head ? (stubs.size - stubs.head) / stubs.width : 0;
	size_t n;
	struct slot *slots = read_slots(e, data, with_addend, &n);
	for (size_t i = 0; i < n && i < fit; i++) {
		const char *name = name_of(e, symbols, table.sh_link, slots[i].symbol);
		if (name && *name)
			add_stub(&stubs, i, name, out);
	}
	free(slots);
}

#endif
