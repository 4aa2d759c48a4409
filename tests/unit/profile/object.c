/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of programs that this test compiles and runs: they print where their functions and
 * files are in memory, which is the truth. All symbols of our own program and of libc are compared
 * with those of readelf.
 */
#include "profile/symbols/object.h"
#include "base/base.h"
#include "profile/symbols/space.h"
#include "profile_tree.h"
#include "tap.h"

#include <elf.h>
#include <inttypes.h>

#ifdef ET_HAVE_DW

static const char program[] =
	"#include <stdio.h>\n"
	"#include <string.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"KEEP static int local_one(int i) { __asm__(\"\" : \"+r\"(i)); return i * 3 + 1; }\n"
	"KEEP int global_one(int i) { __asm__(\"\" : \"+r\"(i)); return i * 5 + 1; }\n"
	"int alias_of_it(int) __attribute__((weak, alias(\"global_one\")));\n"
	"KEEP int _underscore(int i) { __asm__(\"\" : \"+r\"(i)); return i * 7; }\n"
	"int plain_name(int) __attribute__((alias(\"_underscore\")));\n"
	"__asm__(\".pushsection .text\\n.globl from_assembler\\nfrom_assembler:\\n\"\n"
	"	\".skip 64, 0x90\\n.popsection\");\n"
	"extern char from_assembler[];\n"
	"#if __x86_64__ || __aarch64__\n"
	"static int one(void) { return 1; }\n"
	"static int (*resolve(void))(void) { return one; }\n"
	"int chosen(void) __attribute__((ifunc(\"resolve\")));\n"
	"#else\n"
	"int chosen(void) { return 1; }\n"
	"#endif\n"
	"int main(void)\n"
	"{\n"
	"	char line[4096], *x;\n"
	"	FILE *f = fopen(\"/proc/self/maps\", \"r\");\n"
	"	printf(\"local_one %p\\nglobal_one %p\\nplain_name %p\\nmain %p\\n\",\n"
	"		(void *)local_one, (void *)global_one, (void *)_underscore, (void "
	"*)main);\n"
	"	printf(\"from_assembler %p\\n\", (void *)from_assembler);\n"
	"	while (f && fgets(line, sizeof(line), f))\n"
	"		if ((x = strchr(line, ' ')) && x[3] == 'x')\n"
	"			printf(\"= %s\", line);\n"
	"	return chosen() + local_one(1) + global_one(1) + alias_of_it(1) < 0;\n"
	"}\n";

static char root[] = "/tmp/etalon-object-XXXXXX";

/* Runs a shell command in the folder. */
static bool run(const char *fmt, ...)
{
	char *command = et_asprintf("cd %s && ", root), *rest;
	va_list ap;

	va_start(ap, fmt);
	rest = et_vasprintf(fmt, ap);
	va_end(ap);
	et_append(&command, "", "{ %s; } >>log 2>&1", rest);
	bool done = system(command) == 0;
	free(rest);
	free(command);
	return done;
}

/* --- a program that was run --- */

struct where {
	char name[64];
	uint64_t address;
};

struct ran {
	struct et_profile *profile;
	struct et_spaces *spaces;
	struct where functions[16];
	size_t n;
	uint64_t start, offset; /* of the mapping of the program */
};

static void add_map(struct ran *r, const char *line, const struct et_build_id *id)
{
	uint64_t from, to, offset;
	char path[3000] = "";

	if (sscanf(line, "= %" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %2999[^\n]", &from, &to,
		    &offset, path) < 3)
		return;
	bool own = strstr(path, root) != NULL;
	if (own) {
		r->start = from;
		r->offset = offset;
	}
	et_spaces_map(r->spaces, 1,
		&(struct et_mapping){ .start = from,
			.length = to - from,
			.offset = offset,
			.path = path,
			.build_id = own && id ? id->bytes : NULL,
			.build_id_size = own && id ? id->size : 0 });
}

static bool ran_begin(struct ran *r, const char *name, const struct et_build_id *id)
{
	char *command = et_asprintf("%s/%s", root, name), line[4096];
	FILE *f = popen(command, "re");

	*r = (struct ran){ .profile = et_profile_new(&et_default_profile_plan) };
	r->spaces = et_spaces_new(root, r->profile);
	while (f && fgets(line, sizeof(line), f)) {
		struct where *w = &r->functions[r->n];
		if (line[0] == '=')
			add_map(r, line, id);
		else if (r->n < 16 && sscanf(line, "%63s %" SCNx64, w->name, &w->address) == 2)
			r->n++;
	}
	free(command);
	return f && pclose(f) == 0 && r->n == 5;
}

static void ran_end(struct ran *r)
{
	et_spaces_free(r->spaces);
	et_profile_free(r->profile);
}

static const struct et_profile_function *ran_at(struct ran *r, uint64_t address)
{
	struct et_resolved out;

	et_spaces_resolve(r->spaces, 1, false, address, &out);
	return &r->profile->functions[out.functions[0]];
}

/* All functions have their names, or none has. */
static void check_named(
	const char *name, const struct et_build_id *id, bool named, const char *label)
{
	struct ran r;

	if (!ok(ran_begin(&r, name, id), "%s: the program runs", label)) {
		ran_end(&r);
		return;
	}
	for (size_t i = 0; i < r.n; i++) {
		const struct et_profile_function *f = ran_at(&r, r.functions[i].address);
		if (named)
			is_str(f->name, r.functions[i].name, "%s: %s", label, r.functions[i].name);
		else
			ok(f->unnamed, "%s: %s has no name", label, r.functions[i].name);
		ok(strstr(f->module, name) != NULL, "%s: its module is the program", label);
	}
	ran_end(&r);
}

/* --- how the program is made --- */

static void kinds(void)
{
	if (run("cc -O1 -fPIE -pie -o pie p.c"))
		check_named("pie", NULL, true, "PIE");
	else
		skip("cc cannot make a PIE");
	if (run("cc -O1 -fno-pie -no-pie -o fixed p.c"))
		check_named("fixed", NULL, true, "fixed address");
	else
		skip("cc cannot make a program at a fixed address");
	if (run("cc -O1 -fPIE -pie -Wl,-z,noseparate-code -o dense p.c"))
		check_named("dense", NULL, true, "code and data in one segment");
	else
		skip("the linker does not know noseparate-code");
	if (run("cc -O1 -static -o static p.c"))
		check_named("static", NULL, true, "static");
	else
		skip("cc cannot link statically");
}

/* A stripped program: each function has a range of its own, named by its offset in the file. */
static void stripped(void)
{
	struct ran r;
	char name[32];

	if (!run("cc -O1 -fPIE -pie -fasynchronous-unwind-tables -o strip p.c && strip strip")) {
		skip("strip is missing");
		return;
	}
	ok(ran_begin(&r, "strip", NULL), "stripped: the program runs");
	for (size_t i = 0; i < 4; i++) {
		uint64_t address = r.functions[i].address;
		const struct et_profile_function *f = ran_at(&r, address);
		snprintf(name, sizeof(name), "[0x%" PRIx64 "]", address - r.start + r.offset);
		is_str(f->name, name, "stripped: %s is named by its offset", r.functions[i].name);
		ok(f->unnamed, "stripped: it is marked as unnamed");
		ok(ran_at(&r, address + 3) == f, "stripped: its next bytes belong to it");
	}
	uint64_t last = r.functions[4].address, page = (last - r.start + r.offset) & ~0xfffull;
	snprintf(name, sizeof(name), "[0x%" PRIx64 "]", page);
	is_str(ran_at(&r, last)->name, name, "stripped: code without a range is named by its page");
	ran_end(&r);
}

static bool id_of(const char *name, struct et_build_id *out)
{
	char *command = et_asprintf("cd %s && readelf -n %s", root, name), line[512];
	FILE *f = popen(command, "re");
	const char *at;

	out->size = 0;
	while (f && fgets(line, sizeof(line), f)) {
		unsigned byte;
		if (!(at = strstr(line, "Build ID: ")))
			continue;
		for (at += 10; sscanf(at, "%2x", &byte) == 1 && out->size < 64; at += 2)
			out->bytes[out->size++] = (unsigned char)byte;
	}
	free(command);
	return f && pclose(f) == 0 && out->size >= 2;
}

static void build_ids(void)
{
	struct et_build_id id, wrong;

	if (!run("cc -O1 -fPIE -pie -Wl,--build-id=sha1 -o id p.c") || !id_of("id", &id)) {
		skip("the linker makes no build id");
		return;
	}
	check_named("id", &id, true, "build id");
	wrong = id;
	wrong.bytes[3] ^= 1;
	check_named("id", &wrong, false, "build id of another file");
	if (run("cc -O1 -fPIE -pie -Wl,--build-id=none -o noid p.c"))
		check_named("noid", &id, false, "build id vanished");
}

static void debug_files(void)
{
	struct et_build_id id;

	if (!run("command -v objcopy && cc -O1 -fPIE -pie -Wl,--build-id=none -o linked p.c &&"
		 "objcopy --only-keep-debug linked linked.debug && strip linked &&"
		 "objcopy --add-gnu-debuglink=linked.debug linked")) {
		skip("objcopy is missing");
		return;
	}
	check_named("linked", NULL, true, "debug link beside the file");
	ok(run("mkdir -p .debug && mv linked.debug .debug"), "debug link: the file is moved");
	check_named("linked", NULL, true, "debug link in .debug");
	ok(run("mkdir -p usr/lib/debug%s && mv .debug/linked.debug usr/lib/debug%s", root, root),
		"debug link: the file is moved again");
	check_named("linked", NULL, true, "debug link below /usr/lib/debug");
	ok(run("printf x >>usr/lib/debug%s/linked.debug", root), "debug link: the file is changed");
	check_named("linked", NULL, false, "debug link with another checksum");

	if (!run("cc -O1 -fPIE -pie -Wl,--build-id=sha1 -o packaged p.c") ||
		!id_of("packaged", &id)) {
		skip("the linker makes no build id");
		return;
	}
	char *path = et_asprintf("usr/lib/debug/.build-id/%02x", id.bytes[0]);
	ok(run("mkdir -p %s", path), "debug file: the folder is made");
	et_append(&path, "", "/");
	for (size_t i = 1; i < id.size; i++)
		et_append(&path, "", "%02x", id.bytes[i]);
	ok(run("objcopy --only-keep-debug packaged %s.debug && strip packaged", path),
		"debug file: it is put where packages put it");
	check_named("packaged", &id, true, "debug file by build id");
	ok(run("cc -O2 -g -DOTHER -fPIE -pie -Wl,--build-id=sha1 -o other p.c &&"
	       "objcopy --only-keep-debug other %s.debug",
		   path),
		"debug file: another takes its place");
	check_named("packaged", &id, false, "debug file of another program");
	free(path);
}

/* A file of a terabyte without blocks, whose number of sections is that of its first section. */
static void write_sparse(const char *path)
{
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Shdr first = { .sh_size = UINT64_C(1) << 33 };
	FILE *f = fopen(path, "we");

	if (!f || fwrite(&head, sizeof(head), 1, f) != 1 ||
		fwrite(&first, sizeof(first), 1, f) != 1 || fclose(f) != 0)
		tap_bail("cannot write %s", path);
	if (truncate(path, (off_t)1 << 40) < 0)
		printf("# the file system allows no such file\n");
}

static void missing(void)
{
	static const struct et_build_id none;
	struct et_object o;
	char path[256];

	snprintf(path, sizeof(path), "%s/nothing", root);
	et_object_read("", path, &none, false, &o);
	ok(o.state == ET_OBJECT_MISSING, "missing: a file that does not exist");
	et_object_free(&o);
	et_object_read("", root, &none, false, &o);
	ok(o.state == ET_OBJECT_UNREADABLE, "missing: a folder is not read");
	et_object_free(&o);
	snprintf(path, sizeof(path), "%s/fifo", root);
	ok(mkfifo(path, 0600) == 0, "missing: a FIFO is made");
	et_object_read("", path, &none, false, &o);
	ok(o.state == ET_OBJECT_UNREADABLE, "missing: a FIFO is not waited for");
	et_object_free(&o);
	snprintf(path, sizeof(path), "%s/sparse", root);
	write_sparse(path);
	et_object_read("", path, &none, true, &o);
	ok(o.state == ET_OBJECT_UNREADABLE && o.symbols.n == 0,
		"missing: a file that claims billions of sections is not read");
	et_object_free(&o);
	snprintf(path, sizeof(path), "%s/p.c", root);
	et_object_read("", path, &none, false, &o);
	ok(o.state == ET_OBJECT_UNREADABLE, "missing: a text is not an ELF file");
	et_object_free(&o);
}

/* A file that was deleted is used only if the build id shows that it is the same. */
static void deleted(void)
{
	struct et_profile *profile = et_profile_new(&et_default_profile_plan);
	struct et_spaces *s = et_spaces_new(root, profile);
	char path[256];
	struct et_resolved r;

	snprintf(path, sizeof(path), "%s/pie (deleted)", root);
	et_spaces_map(s, 1, &(struct et_mapping){ .start = 0, .length = 1 << 20, .path = path });
	et_spaces_resolve(s, 1, false, 0x1140, &r);
	ok(profile->functions[r.functions[0]].unnamed, "deleted: the file at its path is not used");
	is_str(profile->functions[r.functions[0]].name, "[0x1000, file missing]",
		"deleted: the name says that the file is missing");
	snprintf(path, sizeof(path), "%s/pie", root);
	is_str(profile->functions[r.functions[0]].module, path, "deleted: its path is known");
	et_spaces_free(s);
	et_profile_free(profile);
}

/* --- every symbol, as readelf prints it --- */

struct listed {
	uint64_t start, end;
	char *name;
};

struct listing {
	struct listed *list;
	size_t n, room;
};

static int by_start(const void *a, const void *b)
{
	const struct listed *la = a, *lb = b;

	return (la->start > lb->start) - (la->start < lb->start);
}

/* readelf appends the version to names of .dynsym, where they are without it. */
static void list_by_readelf(bool dynamic, const char *path, struct listing *out)
{
	char *command = et_asprintf(
		"readelf -W %s %s 2>/dev/null", dynamic ? "--dyn-syms" : "--syms", path);
	FILE *f = popen(command, "re");
	char line[8192];
	bool wanted = false;

	*out = (struct listing){ 0 };
	while (f && fgets(line, sizeof(line), f)) {
		uint64_t start;
		int64_t size;
		char type[16], index[16], name[4096];
		if (!strncmp(line, "Symbol table", 12))
			wanted = strstr(line, dynamic ? "'.dynsym'" : "'.symtab'") != NULL;
		if (!wanted || sscanf(line, "%*d: %" SCNx64 " %" SCNi64 " %15s %*s %*s %15s %4095s",
				       &start, &size, type, index, name) != 5)
			continue;
		if ((strcmp(type, "FUNC") != 0 && strcmp(type, "IFUNC") != 0) ||
			!strcmp(index, "UND"))
			continue;
		if (dynamic)
			name[strcspn(name, "@")] = '\0';
		ET_GROW(out->list, out->n, out->room);
		out->list[out->n++] =
			(struct listed){ start, start + (uint64_t)size, et_strdup(name) };
	}
	if (f)
		pclose(f);
	free(command);
	if (out->n)
		qsort(out->list, out->n, sizeof(*out->list), by_start);
}

static void free_listing(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].name);
	free(l->list);
}

/* Whether readelf has a symbol of that name and start that covers the address. */
static bool agrees(const struct listing *l, size_t near, const char *name, uint64_t start)
{
	for (size_t i = near + 1; i-- > 0;) {
		if (l->list[i].start == start && !strcmp(l->list[i].name, name))
			return true;
		if (near - i > 1000)
			break;
	}
	for (size_t i = near + 1; i < l->n && l->list[i].start == start; i++) {
		if (!strcmp(l->list[i].name, name))
			return true;
	}
	return false;
}

static void compare_with_readelf(const char *path, bool dynamic, const char *symbols)
{
	static const struct et_build_id none;
	struct et_object o;
	struct listing l;
	size_t wrong = 0, looked = 0;

	list_by_readelf(dynamic, symbols, &l);
	et_object_read("", path, &none, false, &o);
	for (size_t i = 0; i < l.n; i++) {
		uint64_t last =
			l.list[i].end > l.list[i].start ? l.list[i].end - 1 : l.list[i].start;
		uint64_t addresses[] = { l.list[i].start, last };
		for (size_t j = 0; j < 2; j++, looked++) {
			const struct et_symbol *s = et_symbols_find(&o.symbols, addresses[j]);
			/* A part of a function may have a symbol of its own. */
			bool right = s && (j || s->start == addresses[j]) &&
				     agrees(&l, i, et_symbols_name(&o.symbols, s), s->start);
			if (!right && j && s && s->start > l.list[i].start)
				right = true;
			if (!right && wrong++ < 5)
				printf("# %s at %" PRIx64 ": %s\n", l.list[i].name, addresses[j],
					s ? et_symbols_name(&o.symbols, s) : "none");
		}
	}
	if (l.n)
		ok(wrong == 0, "readelf %s: %zu of %zu look-ups differ", path, wrong, looked);
	else
		skip("readelf is missing, or prints nothing");
	free_listing(&l);
	et_object_free(&o);
}

/* Finds the file of libc in our own mappings. */
static bool find_libc(char path[static 512])
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[1024];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *at = strchr(line, '/');
		if (at && strstr(at, "/libc.so")) {
			snprintf(path, 512, "%.*s", (int)strcspn(at, "\n"), at);
			found = true;
		}
	}
	if (f)
		fclose(f);
	return found;
}

static void oracle(void)
{
	char libc[512], debug[1024] = "/usr/lib/debug/.build-id/";
	struct et_build_id id;

	compare_with_readelf("/proc/self/exe", false, "/proc/$PPID/exe");
	if (!find_libc(libc)) {
		skip("libc is not a file here");
		return;
	}
	bool packaged = id_of(libc, &id);
	for (size_t i = 0; packaged && i < id.size; i++)
		snprintf(debug + strlen(debug), 8, i ? "%02x" : "%02x/", id.bytes[i]);
	strcat(debug, ".debug");
	if (packaged && access(debug, R_OK) == 0)
		compare_with_readelf(libc, false, debug);
	else
		compare_with_readelf(libc, true, libc);
}

/* The stubs that objdump names. */
static void stubs(const char *flags, const char *label)
{
	static const struct et_build_id none;
	struct et_object o;
	char path[256], line[512], *command;
	size_t n = 0, wrong = 0;

	if (!run("command -v objdump && cc -O1 -fPIE -pie %s -o stubs p.c", flags)) {
		skip("objdump is missing, or the compiler has no such option");
		return;
	}
	snprintf(path, sizeof(path), "%s/stubs", root);
	et_object_read("", path, &none, false, &o);
	command = et_asprintf("objdump -d -j .plt -j .plt.sec %s 2>/dev/null", path);
	FILE *f = popen(command, "re");
	while (f && fgets(line, sizeof(line), f)) {
		uint64_t address;
		char name[256];
		if (sscanf(line, "%" SCNx64 " <%255[^>]>:", &address, name) != 2 ||
			name[0] == '*' || strlen(name) < 5 ||
			strcmp(name + strlen(name) - 4, "@plt") != 0)
			continue;
		const struct et_symbol *s = et_symbols_find(&o.symbols, address + 8);
		n++;
		if (s && s->start == address && !strcmp(et_symbols_name(&o.symbols, s), name))
			continue;
		printf("# %s: %s\n", name, s ? et_symbols_name(&o.symbols, s) : "none");
		wrong++;
	}
	if (f)
		pclose(f);
	ok(n >= 3, "%s: objdump names %zu stubs", label, n);
	ok(wrong == 0, "%s: %zu of them differ", label, wrong);
	free(command);
	et_object_free(&o);
}

int main(void)
{
	tree_begin(root);
	tree_write(root, "/p.c", program);
	if (run("cc -o try p.c")) {
		kinds();
		stripped();
		build_ids();
		debug_files();
		deleted();
		stubs("-Wl,-z,lazy", "stubs");
		stubs("-fcf-protection=full -Wl,-z,ibtplt", "stubs with branch tracking");
	} else {
		skip("there is no compiler");
	}
	missing();
	oracle();
	tree_end(root);
	return tap_done();
}

#else

int main(void)
{
	static const struct et_build_id none;
	struct et_object o;

	et_object_read("", "/proc/self/exe", &none, false, &o);
	ok(o.state == ET_OBJECT_UNSUPPORTED, "object: without libdw no file is read");
	et_object_free(&o);
	return tap_done();
}

#endif
