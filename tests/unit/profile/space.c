/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address spaces: mappings, forks and execs, and the function at an address of our own program. */
#include "profile/symbols/space.h"
#include "base/base.h"
#include "profile/symbols/module.h"
#include "profile_tree.h"
#include "self_maps.h"
#include "tap.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* Without libdw, files are not even looked for. */
#ifdef ET_HAVE_DW
#define MISSING ", file missing"
#else
#define MISSING ""
#endif

static struct et_profile *profile;
int main(void);

static struct et_spaces *begin(const struct et_profile_plan *plan)
{
	profile = et_profile_new(plan);
	return et_spaces_new("", profile);
}

static void end(struct et_spaces *s)
{
	et_spaces_free(s);
	et_profile_free(profile);
}

static const struct et_profile_function *at(
	struct et_spaces *s, pid_t process, uint64_t address, struct et_resolved *r)
{
	et_spaces_resolve(s, process, false, address, r);
	return &profile->functions[r->functions[0]];
}

static const char *module_at(struct et_spaces *s, pid_t process, uint64_t address)
{
	struct et_resolved r;

	return at(s, process, address, &r)->module;
}

static const char *name_at(struct et_spaces *s, pid_t process, uint64_t address)
{
	struct et_resolved r;

	return at(s, process, address, &r)->name;
}

static void map(struct et_spaces *s, pid_t process, uint64_t start, uint64_t length,
	uint64_t offset, const char *path)
{
	et_spaces_map(s, process,
		&(struct et_mapping){
			.start = start, .length = length, .offset = offset, .path = path });
}

static void mappings(void)
{
	struct et_spaces *s = begin(&et_default_profile_plan);

	is_str(module_at(s, 1, 0x5000), "[unknown]", "mappings: an unknown process has none");
	map(s, 1, 0x10000, 0x10000, 0, "/none/a");
	is_str(module_at(s, 1, 0xffff), "[unknown]", "mappings: nothing is before the first");
	is_str(module_at(s, 1, 0x10000), "/none/a", "mappings: the first address belongs to it");
	is_str(module_at(s, 1, 0x1ffff), "/none/a", "mappings: the last address belongs to it");
	is_str(module_at(s, 1, 0x20000), "[unknown]", "mappings: nothing is after the last");
	map(s, 1, 0x14000, 0x4000, 0x7000, "/none/b");
	is_str(module_at(s, 1, 0x13fff), "/none/a",
		"mappings: before a later mapping, the earlier");
	is_str(module_at(s, 1, 0x14000), "/none/b", "mappings: the later mapping replaces it");
	is_str(module_at(s, 1, 0x18000), "/none/a", "mappings: after it, the earlier one again");
	is_str(name_at(s, 1, 0x18010), "[0x8000" MISSING "]", "mappings: whose offset continues");
	is_str(name_at(s, 1, 0x15010), "[0x8000" MISSING "]",
		"mappings: the offset of the later one counts");
	map(s, 1, 0x8000, 0x9000, 0, "/none/c");
	is_str(module_at(s, 1, 0x10fff), "/none/c", "mappings: the begin of one can be replaced");
	is_str(module_at(s, 1, 0x11000), "/none/a", "mappings: the rest of it remains");
	is_str(name_at(s, 1, 0x11000), "[0x1000" MISSING "]", "mappings: with the right offset");
	map(s, 1, 0x1c000, 0x8000, 0, "/none/d");
	is_str(module_at(s, 1, 0x1bfff), "/none/a", "mappings: so can its end");
	map(s, 1, 0, UINT64_MAX, 0, "/none/e");
	is_str(module_at(s, 1, 0x14000), "/none/e", "mappings: a large one replaces all");
	map(s, 1, UINT64_MAX - 0xfff, 0x2000, 0, "/none/f");
	is_str(module_at(s, 1, UINT64_MAX - 1), "/none/f", "mappings: a length may wrap around");
	map(s, 1, 0x7000, 0x1000, 0, "//anon");
	is_str(module_at(s, 1, 0x7800), "[unknown]",
		"mappings: memory without a file has no module");
	end(s);
}

static void processes(void)
{
	struct et_spaces *s = begin(&et_default_profile_plan);

	map(s, 1, 0x1000, 0x1000, 0, "/none/a");
	et_spaces_fork(s, 2, 1);
	is_str(module_at(s, 2, 0x1000), "/none/a", "processes: a child has the parent's mappings");
	map(s, 2, 0x1000, 0x1000, 0, "/none/b");
	is_str(module_at(s, 2, 0x1000), "/none/b", "processes: the child maps anew");
	is_str(module_at(s, 1, 0x1000), "/none/a", "processes: the parent keeps its mapping");
	et_spaces_fork(s, 3, 2);
	et_spaces_fork(s, 3, 3);
	is_str(module_at(s, 3, 0x1000), "/none/b", "processes: a new thread changes nothing");
	et_spaces_forget(s, 2);
	is_str(module_at(s, 2, 0x1000), "[unknown]", "processes: execve removes all mappings");
	is_str(module_at(s, 3, 0x1000), "/none/b", "processes: but not those of the child");
	et_spaces_forget(s, 3);
	is_str(module_at(s, 3, 0x1000), "[unknown]", "processes: an ended process has none");
	et_spaces_fork(s, 1, 3);
	is_str(module_at(s, 1, 0x1000), "[unknown]", "processes: a PID that is used again is new");
	map(s, 4, 0x1000, 0x1000, 0, "/none/a");
	et_spaces_clear(s);
	is_str(module_at(s, 4, 0x1000), "[unknown]", "processes: a new run has none");
	end(s);
}

/* Code at ever new addresses: the oldest mappings are forgotten, the newest are there. */
static void endless(void)
{
	struct et_spaces *s = begin(&et_default_profile_plan);

	for (uint64_t i = 1; i <= 200000; i++)
		map(s, 1, i * 0x1000, 0x1000, 0, "//anon");
	map(s, 1, 0x1000 * 200001, 0x1000, 0, "/none/a");
	is_str(module_at(s, 1, 0x1000 * 200001), "/none/a", "endless: the newest mapping is known");
	is_str(name_at(s, 1, 0x1000), "[unknown]", "endless: the oldest is forgotten");
	end(s);
}

/* A file that is built again between two runs. */
static void changed(void)
{
	char root[] = "/tmp/etalon-space-XXXXXX", path[64];
	static const unsigned char id[] = { 1, 2, 3, 4 };
	struct et_modules m = { 0 };

	tree_begin(root);
	tree_write(root, "/program", "one");
	snprintf(path, sizeof(path), "%s/program", root);
	struct et_mapping plain = { .path = path }, known = { .path = path, .build_id = id };
	known.build_id_size = sizeof(id);
	uint32_t first = et_modules_of(&m, &plain), with_id = et_modules_of(&m, &known);
	ok(first != with_id, "changed: a build id makes another module");
	ok(et_modules_of(&m, &plain) == first, "changed: the same file is the same module");
	tree_write(root, "/program", "another");
	uint32_t second = et_modules_of(&m, &plain);
	ok(second != first, "changed: a file of another size is another module");
	ok(et_modules_of(&m, &known) == with_id, "changed: a build id is enough");
	ok(utimensat(AT_FDCWD, path, (struct timespec[]){ { 1, 0 }, { 1, 0 } }, 0) == 0 &&
			et_modules_of(&m, &plain) != second,
		"changed: a file of another time is another module");
	tree_remove(root, "/program");
	uint32_t gone = et_modules_of(&m, &plain);
	ok(gone != second && et_modules_of(&m, &plain) == gone,
		"changed: a file that is gone is a module");
	et_modules_free(&m);
	tree_end(root);
}

#ifdef ET_HAVE_DW
__attribute__((noinline)) static int a_static_function(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i + 1;
}

static void ourselves(void)
{
	struct et_spaces *s = begin(&et_default_profile_plan);
	struct et_resolved r;
	uint64_t here = (uintptr_t)a_static_function;

	map_self(s, 1);
	is_str(at(s, 1, here, &r)->name, "a_static_function",
		"ourselves: a static function is named");
	ok(r.at_entry, "ourselves: its first instruction is its entry");
	is_str(at(s, 1, here + 1, &r)->name, "a_static_function", "ourselves: the next byte, too");
	ok(!r.at_entry, "ourselves: that is not its entry");
	is_str(name_at(s, 1, (uintptr_t)main), "main", "ourselves: main is named");
	ok(strstr(module_at(s, 1, here), "test-profile-space") != NULL,
		"ourselves: its module is our program");
	ok(strstr(name_at(s, 1, (uintptr_t)getauxval), "getauxval") != NULL,
		"ourselves: so is a function of libc");
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	if (vdso)
		is_str(module_at(s, 1, vdso + 0x600), "[vdso]", "ourselves: the vDSO is a module");
	end(s);
	struct et_profile_plan plan = et_default_profile_plan;
	plan.addresses = true;
	s = begin(&plan);
	map_self(s, 1);
	is_str(name_at(s, 1, here + 2), "a_static_function+0x2",
		"ourselves: each address is a function if the plan says so");
	end(s);
	ok(a_static_function(1) == 2, "ourselves: the function works");
}
#else
static void ourselves(void)
{
	skip("built without libdw");
}
#endif

int main(void)
{
	mappings();
	processes();
	endless();
	changed();
	ourselves();
	return tap_done();
}
