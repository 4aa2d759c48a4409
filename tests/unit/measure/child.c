/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting children: PID namespaces, and how a program's file is found. */
#include "measure/child.h"
#include "measure/tree.h"
#include "tap.h"

#include <errno.h>

static struct et_error err;

static void link_to(const char *path, const char *target)
{
	ET_AUTO_FREE char *full = tree_path(path);

	unlink(full);
	if (symlink(target, full) < 0)
		tap_bail("cannot link %s", full);
}

static void namespaces(void)
{
	ok(et_child_check("", &err) == 0, "children can be started here");
	ok(et_child_check(tree, &err) == 0, "a kernel without pid_for_children is accepted");
	link_to("/proc/self/ns/pid", "pid:[1]");
	link_to("/proc/self/ns/pid_for_children", "pid:[1]");
	ok(et_child_check(tree, &err) == 0, "children in our own PID namespace are accepted");
	link_to("/proc/self/ns/pid_for_children", "pid:[2]");
	ok(et_child_check(tree, &err) == -ECHILD && strstr(err.hint, "--fork"),
		"children in another PID namespace are refused: %s", err.what);
}

static int resolve(const char *name, const char *path, const char *directory, char **out)
{
	*out = NULL;
	return et_child_resolve(name, path, directory, out, &err);
}

static void resolving(void)
{
	ET_AUTO_FREE char *a = et_asprintf("%s/a", tree), *b = et_asprintf("%s/b", tree);
	ET_AUTO_FREE char *path = et_asprintf("%s:%s", a, b);
	ET_AUTO_FREE char *file = et_asprintf("%s/b/program", tree);
	char *out;

	tree_write("/a/program", "not executable\n");
	tree_write("/b/program", "#!/bin/sh\n");
	chmod(file, 0755);
	ok(resolve("program", path, NULL, &out) == 0, "a program is searched for in PATH");
	is_str(out, file, "a file that is not executable is passed over");
	free(out);
	ok(resolve("program", a, NULL, &out) == -EACCES && !out,
		"a file that is not executable is reported: %s", err.what);
	ok(resolve("nosuch", path, NULL, &out) == -ENOENT && !out,
		"a missing program is reported: %s", err.what);
	ok(resolve("./program", path, b, &out) == 0 && !strcmp(out, "./program"),
		"a relative path is looked up in the directory of the program");
	free(out);
	ok(resolve("./program", path, a, &out) == -EACCES && !out,
		"a relative path is not searched for in PATH");
	ok(resolve(b, path, NULL, &out) == -EISDIR && !out, "a directory is no program");
	ok(resolve("cd", path, NULL, &out) == -ENOENT && strstr(err.hint, "--shell"),
		"a shell builtin needs a shell: %s", err.hint);
}

int main(void)
{
	tree_open();
	namespaces();
	resolving();
	tree_close();
	return tap_done();
}
