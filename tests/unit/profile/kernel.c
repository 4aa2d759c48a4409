/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the kernel from a captured /proc/kallsyms. */
#include "base/base.h"
#include "profile_tree.h"
#include "tap.h"

#include "profile/symbols/space.h"

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T startup_64\n"
			       "ffffffff81001000 t local\n"
			       "ffffffff81001800 W weak\n"
			       "ffffffff81001800 t preferred\n"
			       "ffffffff81002000 t $x\n"
			       "ffffffff81003000 T last_of_kernel\n"
			       "ffffffff81a00000 D data\n"
			       "ffffffffc0000000 t setup\t[ext4]\n"
			       "ffffffffc0000100 t write\t[ext4]\n"
			       "ffffffffc0100000 t send\t[virtio_net]\n"
			       "not a line\n"
			       "ffffffffc0200000 t \n"
			       "ffffffffffffffffffffff t too_large\n"
			       "ffffffffc0300000 t bpf_prog_1\t[bpf]";

static struct et_profile *profile;
static struct et_spaces *spaces;

static const struct et_profile_function *at(uint64_t address, struct et_resolved *r)
{
	et_spaces_resolve(spaces, 1, true, address, r);
	return &profile->functions[r->functions[0]];
}

static void begin(const char *root, const struct et_profile_plan *plan)
{
	profile = et_profile_new(plan);
	spaces = et_spaces_new(root, profile);
}

static void end(void)
{
	et_spaces_free(spaces);
	et_profile_free(profile);
}

static void check(uint64_t address, const char *name, const char *module, const char *label)
{
	struct et_resolved r;
	const struct et_profile_function *f = at(address, &r);

	is_str(f->name, name, "%s", label);
	is_str(f->module, module, "%s: the module", label);
	ok(f->space == ET_SPACE_KERNEL, "%s: it belongs to the kernel", label);
}

static void captured(const char *root)
{
	struct et_resolved r;

	tree_write(root, "/proc/kallsyms", kallsyms);
	begin(root, &et_default_profile_plan);
	check(0xffffffff81000000, "startup_64", "[kernel]", "kernel: fewer underscores");
	check(0xffffffff81001234, "local", "[kernel]", "kernel: a local function");
	check(0xffffffff81001900, "preferred", "[kernel]", "kernel: not the weak alias");
	check(0xffffffff81002010, "preferred", "[kernel]", "kernel: a mark of ARM is no function");
	check(0xffffffff81004fff, "last_of_kernel", "[kernel]",
		"kernel: the last function ends with the next page");
	check(0xffffffff81005000, "[kernel]", "[kernel]", "kernel: after the last function");
	check(0xffffffff80ffffff, "[kernel]", "[kernel]", "kernel: before the first function");
	check(0xffffffff81a00010, "[kernel]", "[kernel]", "kernel: data is no function");
	check(0xffffffffc0000100, "write", "[ext4]", "kernel: a function of a module");
	check(0xffffffffc0000fff, "write", "[ext4]", "kernel: the last function of a module");
	check(0xffffffffc0050000, "[kernel]", "[kernel]", "kernel: between two modules");
	check(0xffffffffc0100020, "send", "[virtio_net]", "kernel: another module");
	check(0xffffffffc0300010, "bpf_prog_1", "[bpf]", "kernel: a last line without newline");
	ok(at(0xffffffff81001000, &r)->unnamed == false && r.at_entry, "kernel: an entry is known");
	ok(at(0xffffffff81005000, &r)->unnamed, "kernel: an address without symbol is unnamed");
	end();
}

static void restricted(const char *root)
{
	tree_write(
		root, "/proc/kallsyms", "0000000000000000 T _text\n0000000000000000 t a\t[ext4]\n");
	begin(root, &et_default_profile_plan);
	check(0xffffffff81000000, "[kernel]", "[kernel]", "restricted: kptr_restrict hides all");
	end();
	tree_remove(root, "/proc/kallsyms");
	begin(root, &et_default_profile_plan);
	check(0xffffffff81000000, "[kernel]", "[kernel]", "restricted: no kallsyms at all");
	end();
}

static void addresses(const char *root)
{
	struct et_profile_plan plan = et_default_profile_plan;

	plan.addresses = true;
	tree_write(root, "/proc/kallsyms", kallsyms);
	begin(root, &plan);
	check(0xffffffff81001234, "local+0x234", "[kernel]", "addresses: each is a function");
	check(0xffffffff81001234, "local+0x234", "[kernel]", "addresses: the same one again");
	ok(profile->n_functions == 1, "addresses: a function is kept once");
	end();
}

int main(void)
{
	char root[] = "/tmp/etalon-kernel-XXXXXX";

	tree_begin(root);
	captured(root);
	restricted(root);
	addresses(root);
	tree_end(root);
	return tap_done();
}
