/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generated code that is named by the map file of its compiler. */
#include "base/base.h"
#include "profile_tree.h"
#include "tap.h"

#include "profile/symbols/space.h"

#include <inttypes.h>

enum { PROCESS = 4711 };
static const char map_path[] = "/tmp/perf-4711.map";

static struct et_profile *profile;
static struct et_spaces *spaces;

static void begin(const char *root)
{
	profile = et_profile_new(&et_default_profile_plan);
	spaces = et_spaces_new(root, profile);
	et_spaces_map(spaces, PROCESS,
		&(struct et_mapping){ .start = 0x1000, .length = 0x100000, .path = "//anon" });
	et_spaces_map(spaces, PROCESS,
		&(struct et_mapping){ .start = 0x200000,
			.length = 0x1000,
			.path = "/memfd:doublemapper (deleted)" });
	et_spaces_map(spaces, PROCESS,
		&(struct et_mapping){ .start = 0x300000, .length = 0x1000, .path = "/none/lib" });
}

static void end(void)
{
	et_spaces_free(spaces);
	et_profile_free(profile);
}

static const struct et_profile_function *at(uint64_t address)
{
	struct et_resolved r;

	et_spaces_resolve(spaces, PROCESS, false, address, &r);
	return &profile->functions[r.functions[0]];
}

static void lines(const char *root)
{
	tree_write(root, map_path,
		"1000 100 first\n"
		"1100 80 Interpreter: a name, with spaces; and \x1b[31m\n"
		"0x2000 0x10 with_0x\n"
		"garbage\n\n"
		"3000\n3000 10\n3000 10 \n"
		"3100 0 empty\n"
		"ffffffffffffff00 200 wraps\n"
		"zzzz 10 no_number\n"
		"4000 100000000000000000000 too_large\n"
		"5000 100 old\n5000 100 new\n"
		"6000 100 covered\n6040 20 inside\n6030 18 later\n"
		"7000 20 inner\n6f00 1000 over_all\n"
		"200010 10 in_memfd\n"
		"300010 10 in_file\n"
		"1000 ");
	begin(root);
	is_str(at(0x1000)->name, "first", "lines: the first byte of a function");
	is_str(at(0x10ff)->name, "first", "lines: its last byte");
	is_str(at(0x1000)->module, "[jit]", "lines: the module says that it was generated");
	ok(at(0x1000)->space == ET_SPACE_JIT, "lines: so does the kind of space");
	is_str(at(0x1100)->name, "Interpreter: a name, with spaces; and \x1b[31m",
		"lines: a name reaches to the end of the line");
	is_str(at(0x2008)->name, "with_0x", "lines: numbers may have a prefix");
	is_str(at(0x3000)->name, "[anonymous]", "lines: incomplete lines are ignored");
	is_str(at(0x3100)->name, "[anonymous]", "lines: so is an empty function");
	is_str(at(0x4000)->name, "[anonymous]", "lines: so is a size that is no number");
	is_str(at(0x5010)->name, "new", "lines: of two with the same start, the later counts");
	is_str(at(0x6010)->name, "covered", "lines: the parts of a function that is overlapped");
	is_str(at(0x6040)->name, "later", "lines: the later line counts, not the later start");
	is_str(at(0x6050)->name, "inside", "lines: the earlier line counts where it is alone");
	is_str(at(0x60ff)->name, "covered", "lines: a function continues after an overlap");
	is_str(at(0x7010)->name, "over_all", "lines: a later line covers an earlier one inside it");
	is_str(at(0x200010)->name, "in_memfd", "lines: a memfd may have generated code");
	is_str(at(0x200010 + 0x100)->module, "/memfd:doublemapper (deleted)",
		"lines: a memfd without a line is a module");
	is_str(at(0x300010)->module, "/none/lib", "lines: a map does not rename code of files");
	end();
}

static void rewritten(const char *root)
{
	tree_write(root, map_path, "1000 100 one\n");
	begin(root);
	is_str(at(0x1000)->name, "one", "rewritten: a function is known");
	is_str(at(0x9000)->name, "[anonymous]", "rewritten: another is not known yet");
	tree_write(root, map_path, "1000 100 uno\n9000 100 two\n");
	is_str(at(0x9000)->name, "two", "rewritten: an unknown address lets the map be read again");
	is_str(at(0x1000)->name, "uno", "rewritten: all names are those of the new map");
	tree_remove(root, map_path);
	is_str(at(0x9000)->name, "two", "rewritten: a removed map is still known");
	et_spaces_forget(spaces, PROCESS);
	is_str(at(0x9000)->name, "[unknown]", "rewritten: execve ends the map");
	end();
}

/* Other code at a known address. */
static void renamed(const char *root)
{
	size_t looks = 0;

	tree_write(root, map_path, "1000 100 one\n");
	begin(root);
	is_str(at(0x1000)->name, "one", "renamed: a function is known");
	tree_write(root, map_path, "1000 100 replaced\n");
	while (looks < 1000 && strcmp(at(0x1000)->name, "replaced") != 0)
		looks++;
	ok(looks < 100, "renamed: its new name is known after %zu looks", looks);
	end();
}

/* The map of a process that has ended. */
static void of_user(const char *root, const char *path)
{
	tree_remove(root, map_path);
	tree_write(root, map_path, "1000 100 of_user\n");
	ok(chown(path, 23456, 23456) == 0, "user: the map belongs to somebody");
	begin(root);
	et_spaces_set_user(spaces, 34567);
	is_str(at(0x1000)->name, "[anonymous]", "user: it is not used if another runs the program");
	end();
	begin(root);
	et_spaces_set_user(spaces, 23456);
	is_str(at(0x1000)->name, "of_user", "user: it is used if he runs the program");
	end();
	tree_remove(root, map_path);
}

static void refused(const char *root)
{
	char other[512], path[512];

	tree_write(root, "/tmp/other", "1000 100 stolen\n");
	tree_remove(root, map_path);
	snprintf(other, sizeof(other), "%s/tmp/other", root);
	snprintf(path, sizeof(path), "%s%s", root, map_path);
	ok(symlink(other, path) == 0, "refused: a symbolic link is made");
	begin(root);
	is_str(at(0x1000)->name, "[anonymous]", "refused: a symbolic link is not followed");
	tree_remove(root, map_path);
	ok(mkfifo(path, 0600) == 0, "refused: a FIFO is made");
	is_str(at(0x1000)->name, "[anonymous]", "refused: a FIFO is not read");
	tree_remove(root, map_path);
	if (geteuid() == 0) {
		tree_write(root, map_path, "1000 100 forged\n");
		ok(chown(path, 12345, 12345) == 0, "refused: the map belongs to a stranger");
		is_str(at(0x1000)->name, "[anonymous]",
			"refused: the map of a stranger is not used");
		snprintf(other, sizeof(other), "/proc/%d", PROCESS);
		tree_write(root, "/proc/4711/status", "");
		snprintf(other, sizeof(other), "%s/proc/%d", root, PROCESS);
		ok(chown(other, 12345, 12345) == 0, "refused: the process belongs to him, too");
		is_str(at(0x1000)->name, "forged", "refused: then his map is used");
		end();
		of_user(root, path);
	} else {
		skip("only root can give files away");
		end();
	}
}

/* A map of 100,000 functions, then garbage of 100 MB without a newline. */
static void huge(const char *root)
{
	char path[512];

	tree_write(root, map_path, "");
	snprintf(path, sizeof(path), "%s%s", root, map_path);
	FILE *f = fopen(path, "we");
	for (int i = 0; f && i < 100000; i++)
		fprintf(f, "%x 10 f%d\n", 0x1000 + i * 8, i);
	if (!f || fclose(f) != 0)
		tap_bail("cannot write %s", path);
	ok(truncate(path, 100 << 20) == 0, "huge: the map is made longer by zeros");
	begin(root);
	is_str(at(0x1000 + 8 * 77777)->name, "f77777", "huge: functions that overlap are named");
	is_str(at(0x1000 + 8 * 99999 + 15)->name, "f99999", "huge: the last one, too");
	end();
}

int main(void)
{
	char root[] = "/tmp/etalon-jit-XXXXXX";

	tree_begin(root);
	lines(root);
	rewritten(root);
	renamed(root);
	refused(root);
	huge(root);
	tree_end(root);
	return tap_done();
}
