/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/elf_file.h"

#ifdef ET_HAVE_DW

#include <fcntl.h>
#include <sys/stat.h>

/* Sections that are larger are not read. */
enum { MOST_SECTION = 1 << 28, MOST_SEGMENTS = 1024 };

/*
 * Whether the number of sections does not fit into the head and is in the first section. libelf
 * would allocate as many as it says. Only objects that are not linked yet have more than 65,279.
 */
static bool has_hidden_number(const unsigned char *head, size_t size)
{
	static const unsigned char none[8];
	bool wide = size > EI_CLASS && head[EI_CLASS] == ELFCLASS64;
	size_t offset_at = wide ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff);
	size_t number_at = wide ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum);

	return size >= number_at + 2 && !memcmp(head + number_at, none, 2) &&
	       memcmp(head + offset_at, none, wide ? 8 : 4) != 0;
}

static enum et_object_state begun(struct et_elf *e)
{
	if (e->elf && elf_kind(e->elf) == ELF_K_ELF)
		return ET_OBJECT_READ;
	et_elf_close(e);
	return ET_OBJECT_UNREADABLE;
}

enum et_object_state et_elf_open(const char *path, struct et_elf *out)
{
	unsigned char head[sizeof(Elf64_Ehdr)];
	struct stat st;

	/* The path may name a FIFO or a device now; some devices act when they are opened. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return ET_OBJECT_UNREADABLE;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return ET_OBJECT_MISSING;
	ssize_t n = pread(fd, head, sizeof(head), 0);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || n < 0 ||
		has_hidden_number(head, (size_t)n)) {
		close(fd);
		return ET_OBJECT_UNREADABLE;
	}
	elf_version(EV_CURRENT);
	*out = (struct et_elf){ .fd = fd, .size = (uint64_t)st.st_size };
	out->elf = elf_begin(fd, ELF_C_READ, NULL);
	return begun(out);
}

enum et_object_state et_elf_open_image(const void *image, size_t size, struct et_elf *out)
{
	if (has_hidden_number(image, size))
		return ET_OBJECT_UNREADABLE;
	elf_version(EV_CURRENT);
	*out = (struct et_elf){ .fd = -1, .size = size };
	/* libelf only reads it. */
	out->elf = elf_memory((char *)(uintptr_t)image, size);
	return begun(out);
}

void et_elf_close(struct et_elf *e)
{
	elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	*e = (struct et_elf){ .fd = -1 };
}

Elf_Data *et_elf_section(const struct et_elf *e, Elf_Scn *section, uint32_t type)
{
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type != type)
		return NULL;
	if (!header.sh_size || header.sh_size > MOST_SECTION || header.sh_offset > e->size ||
		header.sh_size > e->size - header.sh_offset)
		return NULL;
	Elf_Data *data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

Elf_Scn *et_elf_find(const struct et_elf *e, const char *name)
{
	size_t names;

	if (elf_getshdrstrndx(e->elf, &names) < 0)
		return NULL;
	for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s)) {
		GElf_Shdr header;
		const char *its =
			gelf_getshdr(s, &header) ? elf_strptr(e->elf, names, header.sh_name) : NULL;
		if (its && !strcmp(its, name))
			return s;
	}
	return NULL;
}

/* Looks for the build id among notes. */
static bool id_in_notes(Elf_Data *data, struct et_build_id *out)
{
	GElf_Nhdr note;
	size_t at = 0, name, id;

	while (data && (at = gelf_getnote(data, at, &note, &name, &id)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
			memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) != 0)
			continue;
		if (!note.n_descsz || note.n_descsz > sizeof(out->bytes))
			continue;
		out->size = note.n_descsz;
		memcpy(out->bytes, (char *)data->d_buf + id, out->size);
		return true;
	}
	return false;
}

bool et_elf_build_id(const struct et_elf *e, struct et_build_id *out)
{
	size_t n = 0;

	for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s)) {
		if (id_in_notes(et_elf_section(e, s, SHT_NOTE), out))
			return true;
	}
	if (elf_getphdrnum(e->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n && i < MOST_SEGMENTS; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(e->elf, (int)i, &p) || p.p_type != PT_NOTE ||
			p.p_filesz > 1 << 20 || p.p_offset > e->size ||
			p.p_filesz > e->size - p.p_offset)
			continue;
		if (id_in_notes(elf_getdata_rawchunk(e->elf, (int64_t)p.p_offset, p.p_filesz,
					p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
			    out))
			return true;
	}
	return false;
}

bool et_elf_has_build_id(const struct et_elf *e, const struct et_build_id *wanted)
{
	struct et_build_id id;

	if (!et_elf_build_id(e, &id) || id.size > wanted->size ||
		memcmp(id.bytes, wanted->bytes, id.size) != 0)
		return false;
	/* Some kernels fill up a short one with zeros. */
	for (size_t i = id.size; i < wanted->size; i++) {
		if (wanted->bytes[i])
			return false;
	}
	return true;
}

bool et_elf_is_native(const struct et_elf *e)
{
#if defined(__x86_64__)
	const unsigned machine = EM_X86_64;
#elif defined(__aarch64__)
	const unsigned machine = EM_AARCH64;
#else
	const unsigned machine = EM_NONE;
#endif
	GElf_Ehdr head;

	return gelf_getehdr(e->elf, &head) && head.e_machine == machine &&
	       head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_ident[EI_DATA] == ELFDATA2LSB;
}

void et_elf_segments(const struct et_elf *e, struct et_object *out)
{
	size_t n = 0;

	if (elf_getphdrnum(e->elf, &n) < 0 || n > MOST_SEGMENTS)
		return;
	out->segments = et_calloc(n + 1, sizeof(*out->segments));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;
		if (gelf_getphdr(e->elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_filesz)
			out->segments[out->n_segments++] = (struct et_segment){ p.p_offset,
				p.p_filesz, p.p_vaddr, (p.p_flags & PF_X) != 0 };
	}
}

/* Whether a symbol is that of a function, or a label in code. */
static bool is_code(const GElf_Sym *s, const GElf_Shdr *section, const char *name)
{
	switch (GELF_ST_TYPE(s->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		/* Mapping symbols of ARM ("$x") mark code and data, not functions. */
		return section && (section->sh_flags & SHF_EXECINSTR) && name[0] != '$' &&
		       GELF_ST_VISIBILITY(s->st_other) != STV_HIDDEN &&
		       GELF_ST_VISIBILITY(s->st_other) != STV_INTERNAL;
	default:
		return false;
	}
}

static void add_symbol(
	const GElf_Sym *s, const GElf_Shdr *section, const char *name, struct et_symbols *out)
{
	struct et_symbol symbol = { .start = s->st_value, .end = s->st_value + s->st_size };
	unsigned char binding = GELF_ST_BIND(s->st_info);

	symbol.limit = section ? section->sh_addr + section->sh_size : symbol.start + 1;
	if (symbol.limit <= symbol.start)
		symbol.limit = symbol.start + 1;
	symbol.source =
		GELF_ST_TYPE(s->st_info) == STT_NOTYPE ? ET_SYMBOL_LABEL : ET_SYMBOL_FUNCTION;
	symbol.binding = ET_SYMBOL_LOCAL;
	if (binding == STB_GLOBAL || binding == STB_GNU_UNIQUE)
		symbol.binding = ET_SYMBOL_GLOBAL;
	else if (binding == STB_WEAK)
		symbol.binding = ET_SYMBOL_WEAK;
	et_symbols_add(out, &symbol, name);
}

/* Sections are asked for by most symbols, in groups: the last one is kept. */
struct section {
	size_t number;
	GElf_Shdr header;
};

static const GElf_Shdr *section_of(const struct et_elf *e, const GElf_Sym *s, struct section *last)
{
	if (s->st_shndx >= SHN_LORESERVE) /* more than 65,000 sections: only sizes suffer */
		return NULL;
	if (last->number != s->st_shndx) {
		Elf_Scn *scn = elf_getscn(e->elf, s->st_shndx);
		if (!scn || !gelf_getshdr(scn, &last->header))
			return NULL;
		last->number = s->st_shndx;
	}
	return &last->header;
}

static void add_table(
	const struct et_elf *e, Elf_Data *data, size_t strings, struct et_symbols *out)
{
	size_t width = gelf_fsize(e->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t n = width ? data->d_size / width : 0;
	struct section last = { 0 };

	for (size_t i = 1; i < n; i++) {
		GElf_Sym s;
		if (!gelf_getsym(data, (int)i, &s) || s.st_shndx == SHN_UNDEF ||
			s.st_shndx == SHN_ABS || s.st_shndx == SHN_COMMON)
			continue;
		unsigned char type = GELF_ST_TYPE(s.st_info);
		if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
			continue;
		const char *name = elf_strptr(e->elf, strings, s.st_name);
		const GElf_Shdr *section = section_of(e, &s, &last);
		if (name && *name && is_code(&s, section, name))
			add_symbol(&s, section, name, out);
	}
}

bool et_elf_symbols(const struct et_elf *e, bool all, struct et_symbols *out)
{
	uint32_t type = all ? SHT_SYMTAB : SHT_DYNSYM;

	for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s)) {
		GElf_Shdr header;
		Elf_Data *data = et_elf_section(e, s, type);
		if (!data || !gelf_getshdr(s, &header))
			continue;
		/* elf_strptr() reads the whole section of strings. */
		if (et_elf_section(e, elf_getscn(e->elf, header.sh_link), SHT_STRTAB))
			add_table(e, data, header.sh_link, out);
		return true;
	}
	return false;
}

/* --- ranges --- */

/*
 * Ranges of functions by .eh_frame, which stripped files keep: DWARF 5, 6.4; LSB, Exception Frames.
 */
struct frames {
	const unsigned char *bytes; /* of the section */
	size_t size;
	uint64_t address; /* of the section */
	bool wide;        /* addresses have 8 bytes */
	bool big_endian;
};

/* How a pointer is encoded (DW_EH_PE_…). */
enum {
	PE_ABSOLUTE = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_RELATIVE = 0x10, /* to the address of the pointer itself */
	PE_BASE = 0x70,
	PE_OMITTED = 0xff,
};

/* A part of the section that is being read. Reading beyond its end gives 0 and `failed`. */
struct cursor {
	const struct frames *frames;
	size_t at, end;
	bool failed;
};

static uint64_t get(struct cursor *c, size_t width)
{
	uint64_t value = 0;

	if (c->failed || width > c->end - c->at) {
		c->failed = true;
		return 0;
	}
	for (size_t i = 0; i < width; i++) {
		size_t byte = c->frames->big_endian ? i : width - 1 - i;
		value = value << 8 | c->frames->bytes[c->at + byte];
	}
	c->at += width;
	return value;
}

static uint64_t get_leb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !c->failed; shift += 7) {
		uint64_t byte = get(c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static uint64_t get_pointer(struct cursor *c, unsigned encoding)
{
	static const unsigned char widths[PE_FORMAT + 1] = { [PE_UDATA2] = 2,
		[PE_UDATA4] = 4,
		[PE_UDATA8] = 8,
		[PE_SDATA2] = 2,
		[PE_SDATA4] = 4,
		[PE_SDATA8] = 8 };
	unsigned format = encoding & PE_FORMAT;
	size_t width = format != PE_ABSOLUTE ? widths[format] : c->frames->wide ? 8 : 4;
	uint64_t here = c->frames->address + c->at, value = get(c, width);

	c->failed |= !width;
	if (format == PE_SDATA2)
		value = (uint64_t)(int16_t)value;
	else if (format == PE_SDATA4)
		value = (uint64_t)(int32_t)value;
	if ((encoding & PE_BASE) == PE_RELATIVE)
		value += here;
	else if (encoding & PE_BASE)
		c->failed = true; /* relative to something that no compiler uses here */
	return c->frames->wide ? value : (uint32_t)value;
}

/* Reads the head of an entry. Returns false at the end of the section. */
static bool get_entry(const struct frames *f, size_t at, struct cursor *out)
{
	struct cursor c = { .frames = f, .at = at, .end = f->size };
	uint64_t length = get(&c, 4);

	if (length == 0xffffffff)
		length = get(&c, 8);
	if (c.failed || !length || length > f->size - c.at)
		return false;
	*out = c;
	out->end = c.at + (size_t)length;
	return true;
}

/* Finds how the CIE at an offset encodes the addresses of its FDEs. */
static bool get_encoding(const struct frames *f, size_t at, unsigned *encoding)
{
	struct cursor c;

	if (!get_entry(f, at, &c) || get(&c, 4) != 0)
		return false;
	uint64_t version = get(&c, 1);
	const char *augmentation = (const char *)f->bytes + c.at;
	size_t length = strnlen(augmentation, c.end - c.at);
	if (c.failed || length == c.end - c.at)
		return false;
	c.at += length + 1;
	*encoding = PE_ABSOLUTE;
	if (augmentation[0] != 'z')
		return length == 0;
	get_leb(&c); /* alignment of code, of data */
	get_leb(&c);
	version == 1 ? get(&c, 1) : get_leb(&c); /* register of the return address */
	get_leb(&c);                             /* size of what follows */
	for (size_t i = 1; i < length && !c.failed; i++) {
		if (augmentation[i] == 'R') {
			*encoding = (unsigned)get(&c, 1);
			return !c.failed && *encoding != PE_OMITTED;
		}
		if (augmentation[i] == 'L')
			get(&c, 1);
		else if (augmentation[i] == 'P')
			get_pointer(&c, (unsigned)get(&c, 1) & ~(unsigned)PE_BASE);
	}
	return !c.failed;
}

/* The CIE that was read last: most FDEs share one. */
struct known {
	size_t at;
	unsigned encoding;
	bool valid;
};

static void add_range(struct cursor *c, struct known *cie, struct et_symbols *out)
{
	size_t here = c->at;
	uint64_t distance = get(c, 4); /* back to the CIE; 0: this is one */

	if (c->failed || !distance || distance > here)
		return;
	if (!cie->valid || cie->at != here - distance) {
		cie->at = here - (size_t)distance;
		cie->valid = get_encoding(c->frames, cie->at, &cie->encoding);
	}
	if (!cie->valid)
		return;
	struct et_symbol s = { .source = ET_SYMBOL_RANGE, .binding = ET_SYMBOL_LOCAL };
	s.start = get_pointer(c, cie->encoding);
	s.end = s.start + get_pointer(c, cie->encoding & PE_FORMAT);
	s.limit = s.end;
	if (!c->failed && s.end > s.start)
		et_symbols_add(out, &s, "");
}

void et_elf_ranges(const struct et_elf *e, struct et_symbols *out)
{
	Elf_Scn *section = et_elf_find(e, ".eh_frame");
	const char *ident = elf_getident(e->elf, NULL);
	struct known cie = { 0 };
	struct cursor c;
	GElf_Shdr header;

	if (!section || !ident || !gelf_getshdr(section, &header))
		return;
	/* The x86-64 ABI gives it a type of its own, which few linkers use. */
	const Elf_Data *data = et_elf_section(e, section, SHT_PROGBITS)
				       ?: et_elf_section(e, section, SHT_X86_64_UNWIND);
	if (!data)
		return;
	const struct frames f = { .bytes = data->d_buf,
		.size = data->d_size,
		.address = header.sh_addr,
		.wide = ident[EI_CLASS] == ELFCLASS64,
		.big_endian = ident[EI_DATA] == ELFDATA2MSB };
	/* Each range is a symbol without a name. Damaged entries are omitted. */
	for (size_t at = 0; get_entry(&f, at, &c); at = c.end)
		add_range(&c, &cie, out);
}

/* --- stubs --- */

/*
 * The stubs of the procedure linkage table, by which a program calls libraries, have no symbols.
 * Each has a relocation that names the function: that of the i-th offset is the i-th stub's.
 */
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

	return ET_ORDER(sa->offset, sb->offset);
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

void et_elf_stubs(const struct et_elf *e, struct et_symbols *out)
{
	Elf_Scn *relocations = et_elf_find(e, ".rela.plt"), *dynamic;
	bool with_addend = relocations != NULL;
	GElf_Shdr header, table;
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
	if (!et_elf_section(e, elf_getscn(e->elf, table.sh_link), SHT_STRTAB))
		return;
	uint64_t fit = stubs.size > stubs.head ? (stubs.size - stubs.head) / stubs.width : 0;
	size_t n;
	struct slot *slots = read_slots(e, data, with_addend, &n);
	for (size_t i = 0; i < n && i < fit; i++) {
		const char *name = name_of(e, symbols, table.sh_link, slots[i].symbol);
		uint64_t start = stubs.address + stubs.head + i * stubs.width;
		struct et_symbol s = { .start = start,
			.end = start + stubs.width,
			.limit = start + stubs.width,
			.source = ET_SYMBOL_LABEL };
		if (!name || !*name)
			continue;
		ET_AUTO_FREE char *full = et_asprintf("%.*s@plt", ET_MOST_SYMBOL_NAME - 4, name);
		et_symbols_add(out, &s, full);
	}
	free(slots);
}

#endif
