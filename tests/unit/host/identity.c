/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The identity of a machine, in trees with and without a machine-id, a chosen name, namespaces. */
#include "base/base.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "tap.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* FNV-1a, 64 bits, of the bytes of "5f3e0c1b9a8d4e7680a1b2c3d4e5f607", computed with Python. */
#define MACHINE_ID "5f3e0c1b9a8d4e7680a1b2c3d4e5f607"
#define DIGEST "27980cd1925a3b0b"
#define NO_DIGEST "cbf29ce484222325" /* of no bytes */

static char tree[] = "/tmp/etalon-identity.XXXXXX";

static const char *place(const char *path)
{
	static char full[256];

	snprintf(full, sizeof(full), "%s%s", tree, path);
	return full;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(place(path), "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		tap_bail("cannot write %s", place(path));
}

static void put_link(const char *path, const char *target)
{
	unlink(place(path));
	if (symlink(target, place(path)))
		tap_bail("cannot make %s", place(path));
}

static const char *identity(void)
{
	static char out[ET_MACHINE_SIZE];

	et_host_identity(tree, out, sizeof(out));
	return out;
}

static void make_tree(void)
{
	static const char *const folders[] = { "/etc", "/etc/etalon", "/proc", "/proc/self",
		"/proc/self/ns" };

	if (!mkdtemp(tree))
		tap_bail("cannot make a folder");
	for (size_t i = 0; i < ET_LENGTH(folders); i++) {
		if (mkdir(place(folders[i]), 0700))
			tap_bail("cannot make %s", place(folders[i]));
	}
	put_link("/proc/self/ns/uts", "uts:[4026531838]");
	put_link("/proc/self/ns/pid", "pid:[4026531836]");
}

static void test_own(const char *host)
{
	ET_AUTO_FREE char *container = et_asprintf("%s " DIGEST, host);
	ET_AUTO_FREE char *unnamed = et_asprintf("%s " NO_DIGEST, host);

	is_str(identity(), unnamed, "no machine-id: the name of the host identifies it");
	put("/etc/machine-id", "uninitialized\n");
	is_str(identity(), unnamed, "an image that was never booted has no machine-id");
	put("/etc/machine-id", MACHINE_ID "\n");
	is_str(identity(), DIGEST, "host: a digest of its machine-id, whatever its name");
	put_link("/proc/self/ns/uts", "uts:[4026532200]");
	is_str(identity(), DIGEST, "a service that has only a UTS namespace is no container");
	put_link("/proc/self/ns/pid", "pid:[4026532201]");
	is_str(identity(), container, "container: its name is a part of its identity");
	ok(et_machine_same(identity(), container),
		"container: records of earlier versions are valid");
}

static void test_chosen(void)
{
	struct et_error err;

	put("/etc/etalon/machine", "rack-2 \nsecond line\n");
	is_str(identity(), "rack-2", "chosen: the first line of /etc/etalon/machine");
	setenv("ETALON_MACHINE", "n7", 1);
	is_str(identity(), "n7", "chosen: the variable has precedence over the file");
	ok(et_host_identity_check(tree, &err) == 0, "chosen: the check accepts both");
	setenv("ETALON_MACHINE", "n 7", 1);
	ok(et_host_identity_check(tree, &err) && err.exit == ET_EXIT_USAGE &&
			strstr(err.what, "ETALON_MACHINE: 'n 7'"),
		"chosen: a variable with a space is wrong usage, and is named");
	setenv("ETALON_MACHINE", "", 1);
	is_str(identity(), "rack-2", "chosen: an empty variable is none");
	put("/etc/etalon/machine", "a/b\n");
	ok(et_host_identity_check(tree, &err) && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "/etc/etalon/machine: 'a/b'"),
		"chosen: a file with a slash is a fault of the environment, and is named");
}

int main(void)
{
	struct utsname names = { 0 };

	uname(&names);
	unsetenv("ETALON_MACHINE");
	make_tree();
	test_own(names.nodename);
	test_chosen();
	ET_AUTO_FREE char *command = et_asprintf("rm -rf %s", tree);
	ok(system(command) == 0, "the folder is removed");
	return tap_done();
}
