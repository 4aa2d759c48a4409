/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: files with code, mangled names, the kernel's list of symbols, and map files of generated
 * code. */
#include "profile/symbols/symbols.h"
#include "base/base.h"
#include "fuzz.h"
#include "profile/symbols/cfi.h"
#include "profile/symbols/module.h"
#include "profile/symbols/object.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* No two ranges of a table overlap, and each has a name. */
static void check_table(const struct et_symbols *t)
{
	for (size_t i = 0; i < t->n_pieces; i++) {
		const struct et_symbol_piece *p = &t->pieces[i];
		FUZZ_CHECK(p->start < p->end && p->symbol < t->n);
		FUZZ_CHECK(i == 0 || t->pieces[i - 1].end <= p->start);
		const struct et_symbol *s = et_symbols_find(t, p->start);
		FUZZ_CHECK(s == &t->symbols[p->symbol] && s->start <= p->start);
		FUZZ_CHECK(strlen(et_symbols_name(t, s)) <= ET_MOST_SYMBOL_NAME);
	}
}

static void check_inlines(const struct et_inlines *all)
{
	check_table(&all->ranges);
	for (size_t i = 0; i < all->ranges.n_pieces; i++) {
		uint64_t begin;
		const struct et_inlined *call =
			et_inlines_find(all, all->ranges.pieces[i].start, &begin);
		for (size_t depth = 0; call; call = et_inlines_outer(all, call), depth++)
			FUZZ_CHECK(depth < all->n);
	}
}

/* Steps from some addresses of the file, on a stack of numbers. */
static void unwind(const char *path, const struct et_object *o)
{
	static const struct et_build_id none;
	uint64_t stack[64];
	struct et_cfi *c = et_cfi_open(path, &none);

	for (size_t i = 0; i < 64; i++)
		stack[i] = 0x1000 + 8 * i;
	for (size_t i = 0; c && i < o->symbols.n_pieces && i < 16; i++) {
		struct et_cfi_state s = { .known = UINT64_MAX,
			.stack = (const unsigned char *)stack,
			.stack_bytes = sizeof(stack),
			.stack_start = 0x1000,
			.stack_pointer = 7 };
		uint64_t address = o->symbols.pieces[i].start;
		for (size_t k = 0; k < ET_CFI_REGISTERS; k++)
			s.registers[k] = 0x1000;
		if (et_cfi_step(c, address, &s))
			FUZZ_CHECK(s.known >> ET_CFI_IP & 1);
	}
	et_cfi_close(c);
}

__attribute__((unused)) /* without libdw */
static int
fuzz_elf(const uint8_t *data, size_t size)
{
	static const struct et_build_id none;
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct et_object o;
	char path[32];

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	et_object_read("", path, &none, true, &o);
	bool accepted = o.state == ET_OBJECT_READ || o.state == ET_OBJECT_STRIPPED;
	check_table(&o.symbols);
	check_inlines(&o.inlines);
	if (accepted)
		unwind(path, &o);
	et_object_free(&o);
	close(fd);
	char *image = fuzz_text(data, size); /* with room for the byte after it */
	et_object_read_image(image, size, &o);
	check_table(&o.symbols);
	et_object_free(&o);
	free(image);
	return accepted;
}

#ifdef ET_HAVE_DW
FUZZ_TARGET(elf) = { "elf", fuzz_elf, 5000, .binary = true,
	.input = "files with code: symbols, debug information, ranges and rules of '.eh_frame'",
	.holds = "ranges do not overlap; inlined calls nest" };
#endif

/* Writes a file below the scratch folder. */
static void write_file(const char *folder, const char *name, const uint8_t *data, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", fuzz_scratch(), folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", fuzz_scratch(), folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static int fuzz_kallsyms(const uint8_t *data, size_t size)
{
	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	struct et_kernel k;
	struct et_resolved r;

	write_file("proc", "kallsyms", data, size);
	et_kernel_open(&k, fuzz_scratch());
	et_kernel_resolve(&k, p, 0xffffffff81000010, &r);
	FUZZ_CHECK(r.n == 1 && r.functions[0] < p->n_functions);
	check_table(&k.symbols);
	int accepted = k.symbols.n > 0;
	for (size_t i = 0; i < k.symbols.n; i++)
		FUZZ_CHECK(k.symbols.symbols[i].owner < k.n_modules);
	et_kernel_close(&k);
	et_profile_free(p);
	return accepted;
}

static const char *const map_tokens[] = { " ", "\n", "\t", "[bpf]", "\t[ext4]\n", " t ", " T ",
	" W ", "ffffffff81000000", "ffffffffffffffff", "1000 ", "0x", "1000 100 f\n", "$x", NULL };

FUZZ_TARGET(kallsyms) = { "kallsyms", fuzz_kallsyms, 5000, .tokens = map_tokens,
	.input = "the kernel's list of symbols", .holds = "ranges do not overlap" };

static int fuzz_perfmap(const uint8_t *data, size_t size)
{
	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	struct et_jit *j = et_calloc(1, sizeof(*j));
	struct et_resolved r;

	j->process = 1;
	write_file("tmp", "perf-1.map", data, size);
	if (et_jit_resolve(j, fuzz_scratch(), p, 0x1010, &r))
		FUZZ_CHECK(r.n == 1 && r.functions[0] < p->n_functions);
	check_table(&j->symbols);
	int accepted = j->symbols.n > 0;
	et_jit_free(j);
	et_profile_free(p);
	return accepted;
}

FUZZ_TARGET(perfmap) = { "perfmap", fuzz_perfmap, 5000, .tokens = map_tokens,
	.input = "map files of generated code", .holds = "ranges do not overlap" };

__attribute__((unused)) /* without libiberty */
static int
fuzz_names(const uint8_t *data, size_t size)
{
	char *symbol = fuzz_text(data, size);
	char *readable = et_demangle(symbol);
	bool accepted = readable;

	FUZZ_CHECK(!readable || (*readable && strlen(readable) <= ET_MOST_SYMBOL_NAME + size));
	free(readable);
	free(symbol);
	return accepted;
}

#ifdef ET_HAVE_IBERTY
static const char *const mangled_tokens[] = { "_Z", "_R", "S_", "S0_", "S1_", "SZ_", "I", "E", "N",
	"T_", "Dp", "J", "C1", "1a", "3foo", "P", "F", "L", "Lb1E", "cv", "sZ", "B_", "K", ".cold",
	"17h0123456789abcdefE", "Cs1_", "Nv", "Nt", "u0", "@plt", "999999999999", NULL };

FUZZ_TARGET(names) = { "names", fuzz_names, 20000, .tokens = mangled_tokens,
	.input = "mangled names of C++ and Rust", .holds = "the readable name is not too long" };
#endif
