/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlined functions at every address of a compiled program, compared with those of addr2line. */
#include "base/base.h"
#include "profile/symbols/object.h"
#include "profile/symbols/space.h"
#include "profile/symbols/symbols.h"
#include "profile_tree.h"
#include "tap.h"

#include <inttypes.h>

#ifdef ET_HAVE_DW

static const char program[] =
	"static volatile int sink;\n"
	"#ifndef IN\n"
	"#define IN __attribute__((always_inline)) static inline\n"
	"#endif\n"
	"IN int innermost(int i) { sink += i; return sink * 3; }\n"
	"IN int middle(int i) { for (int k = 0; k < i; k++) sink ^= innermost(k); return sink; }\n"
	"IN int twice(int i) { return innermost(i) + innermost(i + 1); }\n"
	"__attribute__((noinline)) int outside(int i) { return middle(i) + twice(i) + sink; }\n"
	"__attribute__((noinline)) int plain(int i) { return sink += i; }\n"
	"int main(int n, char **v) { (void)v; return outside(n) + plain(n) + middle(n + 1); }\n";

static char root[] = "/tmp/etalon-inlines-XXXXXX";

static bool run(const char *command)
{
	char *text = et_asprintf("cd %s && { %s; } >>log 2>&1", root, command);
	bool done = system(text) == 0;

	free(text);
	return done;
}

/* Returns the names at an address, "innermost<middle<outside". */
static void chain_at(struct et_object *o, uint64_t address, char *out, size_t size)
{
	uint64_t begin;
	const struct et_symbol *s = et_symbols_find(&o->symbols, address);
	const struct et_inlined *call = et_inlines_find(&o->inlines, address, &begin);

	*out = '\0';
	for (; call; call = et_inlines_outer(&o->inlines, call))
		snprintf(out + strlen(out), size - strlen(out), "%s<",
			et_inlines_name(&o->inlines, call));
	snprintf(out + strlen(out), size - strlen(out), "%s",
		s ? et_symbols_name(&o->symbols, s) : "none");
}

/* addr2line prints the address, then for each function its name and its line. */
static size_t compare(struct et_object *o, FILE *f, size_t *compared)
{
	char line[1024], truth[1024] = "", ours[1024];
	uint64_t address = 0;
	size_t wrong = 0;
	bool more = true, name = true;

	*compared = 0;
	while (more) {
		more = fgets(line, sizeof(line), f) != NULL;
		if (!more || !strncmp(line, "0x", 2)) {
			if (address) {
				chain_at(o, address, ours, sizeof(ours));
				(*compared)++;
				if (strcmp(ours, truth) != 0 && wrong++ < 5)
					printf("# %" PRIx64 ": %s, not %s\n", address, ours, truth);
			}
			address = more ? strtoull(line, NULL, 16) : 0;
			*truth = '\0';
			name = true;
			continue;
		}
		if (name)
			snprintf(truth + strlen(truth), sizeof(truth) - strlen(truth), "%s%.*s",
				*truth ? "<" : "", (int)strcspn(line, "\n"), line);
		name = !name;
	}
	return wrong;
}

/* Writes every address of the named functions for addr2line. */
static bool list_addresses(const struct et_object *o)
{
	static const char *const names[] = { "outside", "plain", "main" };
	char *path = et_asprintf("%s/addresses", root);
	FILE *f = fopen(path, "we");

	free(path);
	for (size_t i = 0; f && i < o->symbols.n; i++) {
		const struct et_symbol *s = &o->symbols.symbols[i];
		for (size_t j = 0; j < ET_LENGTH(names); j++) {
			if (strcmp(et_symbols_name(&o->symbols, s), names[j]) != 0)
				continue;
			for (uint64_t a = s->start; a < s->end; a++)
				fprintf(f, "0x%" PRIx64 "\n", a);
		}
	}
	return f && fclose(f) == 0;
}

static void check(const char *path, const char *label)
{
	static const struct et_build_id none;
	struct et_object o;
	char *command = et_asprintf("cd %s && addr2line -a -f -i -e whole <addresses", root);
	size_t compared = 0;

	et_object_read(root, path, &none, true, &o);
	ok(o.inlines.n >= 6, "%s: inlined calls are found (%zu)", label, o.inlines.n);
	ok(list_addresses(&o), "%s: the addresses are listed", label);
	FILE *f = popen(command, "re");
	size_t wrong = f ? compare(&o, f, &compared) : 1;
	ok(f && pclose(f) == 0 && compared > 50, "%s: addr2line knows %zu addresses", label,
		compared);
	ok(wrong == 0, "%s: %zu addresses differ", label, wrong);
	free(command);
	et_object_free(&o);
}

/* The functions of the profile at the first address of an inlined call. */
static void resolved(const char *path, const char *chain, const char *readable, const char *label)
{
	struct et_profile_plan plan = et_default_profile_plan;
	plan.inlines = true;
	struct et_profile *profile = et_profile_new(&plan);
	struct et_spaces *s = et_spaces_new(root, profile);
	static const struct et_build_id none;
	struct et_object o;
	struct et_resolved r;
	bool found = false;

	et_object_read(root, path, &none, true, &o);
	et_spaces_map(s, 1, &(struct et_mapping){ .start = 0, .length = 1 << 20, .path = path });
	for (size_t i = 0; i < o.inlines.ranges.n && !found; i++) {
		const struct et_symbol *range = &o.inlines.ranges.symbols[i];
		char truth[1024], ours[1024] = "";
		chain_at(&o, range->start, truth, sizeof(truth));
		if (strcmp(truth, chain) != 0)
			continue;
		et_spaces_resolve(s, 1, false, et_object_offset(&o, range->start), &r);
		for (size_t j = 0; j < r.n; j++)
			snprintf(ours + strlen(ours), sizeof(ours) - strlen(ours), "%s%s",
				j ? "<" : "", profile->functions[r.functions[j]].name);
		is_str(ours, readable, "resolved: the inlined functions come first, in %s", label);
		ok(r.at_entry, "resolved: the begin of an inlined call is an entry, in %s", label);
		found = true;
	}
	ok(found, "resolved: a call within a call was inlined, in %s", label);
	et_object_free(&o);
	et_spaces_free(s);
	et_profile_free(profile);
}

int main(void)
{
	char path[256];

	tree_begin(root);
	tree_write(root, "/p.c", program);
	if (run("command -v addr2line && cc -O2 -g -o whole p.c")) {
		snprintf(path, sizeof(path), "%s/whole", root);
		check(path, "inlines");
		resolved(path, "innermost<middle<outside", "innermost<middle<outside", "C");
	} else {
		skip("there is no compiler, or no addr2line");
	}
	if (run("c++ -x c++ '-DIN=__attribute__((always_inline)) inline' -O2 -g -o plus p.c")) {
		static const char chain[] = "_Z9innermosti<_Z6middlei<_Z7outsidei";
		snprintf(path, sizeof(path), "%s/plus", root);
		resolved(path, chain,
			et_demangle_built() ? "innermost(int)<middle(int)<outside(int)" : chain,
			"C++");
	} else {
		skip("there is no compiler of C++");
	}
	if (run("command -v objcopy && objcopy --only-keep-debug whole cut.debug && cp whole cut &&"
		"strip cut && objcopy --add-gnu-debuglink=cut.debug cut")) {
		snprintf(path, sizeof(path), "%s/cut", root);
		check(path, "inlines of a debug file");
	} else {
		skip("objcopy is missing");
	}
	tree_end(root);
	return tap_done();
}

#else

int main(void)
{
	skip("built without libdw");
	return tap_done();
}

#endif
