/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of stripped programs in the output of perf script. The test compiles a program, asks nm
 * where its functions are, and strips it; the lines are as perf of Linux 6.1 and 6.12 prints them.
 */
#include "base/base.h"
#include "profile/readers/read.h"
#include "profile_tree.h"
#include "tap.h"

#include <inttypes.h>

#ifdef ET_HAVE_DW

static const char program[] =
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"KEEP int hot(int i) { __asm__(\"\" : \"+r\"(i)); return i * 3 + 1; }\n"
	"KEEP int warm(int i) { __asm__(\"\" : \"+r\"(i)); return i * 5 + 1; }\n"
	"int main(void) { return hot(1) + warm(1) < 0; }\n";

enum { BASE = 0x7f000000 };

static char root[] = "/tmp/etalon-perf-maps-XXXXXX";
static struct et_experiment *e;

/* A program without symbols. */
static struct {
	char path[100], id[130];
	uint64_t hot, warm; /* offsets in the file */
	uint64_t start;     /* where the test maps the page with both */
} its;

static bool run(const char *command)
{
	ET_AUTO_FREE char *line = et_asprintf("cd %s && { %s; } >>log 2>&1", root, command);

	return system(line) == 0;
}

/* Returns the first word of what the shell command prints. */
static bool ask(const char *command, const char *format, void *out)
{
	ET_AUTO_FREE char *line = et_asprintf("cd %s && %s 2>/dev/null", root, command);
	FILE *f = popen(line, "re");
	bool found = f && fscanf(f, format, out) == 1;

	if (f)
		pclose(f);
	return found;
}

/* Compiles the program; a position-independent one is mapped at BASE. */
static bool make(const char *flags)
{
	ET_AUTO_FREE char *compile = et_asprintf("cc -O1 %s -fasynchronous-unwind-tables "
						 "-Wl,--build-id=sha1 -o named p.c && "
						 "strip -o program named",
		flags);
	uint64_t hot, warm;

	if (!run(compile) ||
		!ask("nm named | awk '$3 == \"hot\" { print $1 }'", "%" SCNx64, &hot) ||
		!ask("nm named | awk '$3 == \"warm\" { print $1 }'", "%" SCNx64, &warm) ||
		!ask("readelf -n named | awk '/Build ID/ { print $3 }'", "%129s", its.id))
		return false;
	snprintf(its.path, sizeof(its.path), "%s/program", root);
	its.start = (hot & ~UINT64_C(0xfff)) + (hot < 0x400000 ? BASE : 0);
	its.hot = hot & 0xfffff;
	its.warm = warm & 0xfffff;
	return true;
}

/* A record of the mapping, with the build id or in its place the device. */
static char *mapped(const char *identity)
{
	return et_asprintf("prog 7 1.000000: PERF_RECORD_MMAP2 7/7: [0x%" PRIx64
			   "(0x1000) @ 0x%" PRIx64 " %s]: r-xp %s\n",
		its.start, its.hot & ~UINT64_C(0xfff), identity, its.path);
}

static char *mapped_by_id(void)
{
	ET_AUTO_FREE char *identity = et_asprintf("<%s>", its.id);

	return mapped(identity);
}

static uint64_t address_of(uint64_t offset)
{
	return its.start + (offset & 0xfff);
}

static char *flat(int task, uint64_t address)
{
	return et_asprintf("prog %d [001] 2.000000: 250 cycles: %" PRIx64 " [unknown] (%s)\n", task,
		address, its.path);
}

/* Reads the parts, each of which is freed, as one file. */
static bool read_parts(const char *label, char **parts)
{
	struct et_profile_read_options o = { 0 };
	ET_AUTO_FREE char *text = NULL;
	struct et_error err = { 0 };

	o.format = et_name_index(et_profile_format_names, "perf");
	for (; *parts; parts++) {
		et_append(&text, "", "%s", *parts);
		free(*parts);
	}
	et_experiment_free(e);
	e = NULL;
	ET_AUTO_FCLOSE FILE *in = fmemopen(text, strlen(text), "r");
	int rc = et_profile_read_stream(in, "FILE", &o, &e, &err);
	if (!ok(rc == 0, "%s: the text is read", label))
		printf("# %s\n", err.what);
	return rc == 0;
}

#define READ(label, ...) read_parts(label, (char *[]){ __VA_ARGS__, NULL })

/* The sample with this number has been taken in the function with this name. */
static void taken_in(size_t sample, const char *name, const char *label)
{
	const struct et_profile *p = e ? e->profile : NULL;
	bool is_there = p && sample < p->n_functions;

	if (ok(is_there, "%s: there is a function", label))
		is_str(p->functions[sample].name, name, "%s", label);
}

static void taken_at(size_t sample, uint64_t offset, const char *label)
{
	char name[32];

	snprintf(name, sizeof(name), "[0x%" PRIx64 "]", offset);
	taken_in(sample, name, label);
}

static void test_flat(const char *kind)
{
	ET_AUTO_FREE char *label = et_asprintf("%s: an address is in its function", kind);

	if (!READ(kind, mapped_by_id(), flat(7, address_of(its.hot)),
		    flat(7, address_of(its.warm + 2)), flat(7, address_of(its.hot) + 1)))
		return;
	taken_at(0, its.hot, label);
	taken_at(1, its.warm, label);
	ok(e->profile->n_functions == 2, "%s: addresses of one function are one row", kind);
	ok(e->profile->functions[0].unnamed, "%s: the function has no name", kind);
	is_str(e->profile->functions[0].module, its.path, "%s: the file is its module", kind);
	ok(e->profile->runs[0].counts[0].samples == 2 &&
			e->profile->runs[0].counts[0].at_entry == 1,
		"%s: one of its samples is at the first instruction", kind);
}

static char *chain(uint64_t inner, uint64_t outer)
{
	return et_asprintf("prog 7 2.000000: 250 cycles: \n\t%16" PRIx64
			   " [unknown] (%s)\n\t%16" PRIx64 " [unknown] (%s)\n\n",
		inner, its.path, outer, its.path);
}

/* The address of a caller is that after the call, which may be in the next function. */
static void test_chains(const char *kind)
{
	if (READ(kind, mapped_by_id(), chain(its.hot, its.warm + 1))) {
		taken_at(0, its.hot, "chain: an offset in the file is in its function");
		taken_at(1, its.warm, "chain: the offset of a caller is in its function");
	}
	if (READ(kind, mapped_by_id(), chain(address_of(its.hot), address_of(its.warm) + 1))) {
		taken_at(0, its.hot, "chain: an address is in its function");
		taken_at(1, its.warm, "chain: the address of a caller is in its function");
	}
}

static void test_tasks(void)
{
	if (READ("thread", mapped_by_id(), et_strdup("prog 7 1.1: PERF_RECORD_FORK(7:9):(7:7)\n"),
		    flat(9, address_of(its.hot))))
		taken_at(0, its.hot, "thread: it has the mappings of its process");
	if (READ("fork", mapped_by_id(), et_strdup("prog 7 1.1: PERF_RECORD_FORK(8:8):(7:7)\n"),
		    flat(8, address_of(its.hot))))
		taken_at(0, its.hot, "fork: a process has the mappings of its parent");
	if (READ("exec", mapped_by_id(), et_strdup("prog 7 1.1: PERF_RECORD_FORK(8:8):(7:7)\n"),
		    et_strdup("sh 8 1.2: PERF_RECORD_COMM exec: sh: a:8/8\n"),
		    flat(8, address_of(its.hot))))
		taken_in(0, "[unknown]", "exec: the mappings are forgotten");
	if (READ("other process", mapped_by_id(), flat(8, address_of(its.hot))))
		taken_in(0, "[unknown]", "other process: it has no mappings");
}

static void test_identity(void)
{
	char page[64];

	if (READ("no build id", mapped("fe:00 109527 1614158502"), flat(7, address_of(its.hot)))) {
		taken_in(0, "[unknown]", "no build id: the file is not opened");
		ok(e->profile->functions[0].unnamed, "no build id: the function has no name");
	}
	snprintf(page, sizeof(page), "[0x%" PRIx64 ", file changed]", its.hot & ~UINT64_C(0xfff));
	if (READ("other build id", mapped("<0123456789abcdef0123456789abcdef01234567>"),
		    flat(7, address_of(its.hot))))
		taken_in(0, page, "other build id: the file is not used");
	snprintf(page, sizeof(page), "[0x%" PRIx64 ", file missing]", its.hot & ~UINT64_C(0xfff));
	if (run("mv program elsewhere") &&
		READ("no file", mapped_by_id(), flat(7, address_of(its.hot))))
		taken_in(0, page, "no file: code is counted by pages");
	snprintf(page, sizeof(page), "[0x%" PRIx64 "]", its.hot & ~UINT64_C(0xfff));
	if (run("mkfifo program") && READ("FIFO", mapped_by_id(), flat(7, address_of(its.hot))))
		taken_in(0, page, "FIFO: it is not opened");
}

/* As a large program has them: the address could be an offset, too. */
static void test_ambiguous(void)
{
	uint64_t offset = its.start - 0x1000;

	if (READ("ambiguous",
		    et_asprintf("prog 7 1.000000: PERF_RECORD_MMAP2 7/7: [0x%" PRIx64
				"(0x9000) @ 0x%" PRIx64 " <%s>]: r-xp %s\n",
			    its.start, offset, its.id, its.path),
		    chain(its.start + 16, its.start + 32)))
		taken_in(0, "[unknown]", "ambiguous: an address that may be an offset is unknown");
}

int main(void)
{
	tree_begin(root);
	tree_write(root, "/p.c", program);
	if (make("-no-pie -fno-pie")) {
		test_flat("not position-independent");
		test_chains("not position-independent");
		test_ambiguous();
	} else {
		skip("cc, strip, nm or readelf is missing");
	}
	if (make("-fPIE -pie")) {
		test_flat("position-independent");
		test_chains("position-independent");
		test_tasks();
		test_identity();
	} else {
		skip("cc, strip, nm or readelf is missing");
	}
	et_experiment_free(e);
	tree_end(root);
	return tap_done();
}

#else

int main(void)
{
	skip("etalon is built without libdw");
	return tap_done();
}

#endif
