/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders that contain a file are made, unless something else has their name. */
#include "base/folder.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>
#include <sys/stat.h>

static char top[] = "/tmp/etalon-folder.XXXXXX";

static int make(const char *below)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/%s", top, below);

	return et_folders_make(path, 0755);
}

static void remove_below(const char *below)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/%s", top, below);

	if (remove(path) < 0)
		printf("# %s: %s\n", path, strerror(errno));
}

int main(void)
{
	struct stat st;

	if (!mkdtemp(top))
		tap_bail("mkdtemp: %s", strerror(errno));
	ET_AUTO_FREE char *file = et_asprintf("%s/plain", top);
	ET_AUTO_FREE char *link_path = et_asprintf("%s/link", top);
	ET_AUTO_FREE char *folder = et_asprintf("%s/a/b", top);
	FILE *f = fopen(file, "w");
	if (!f || symlink("a", link_path) < 0)
		tap_bail("%s: %s", top, strerror(errno));
	fclose(f);
	ok(make("a/b/x") == 0 && stat(folder, &st) == 0 && S_ISDIR(st.st_mode),
		"folders: missing folders are made");
	ok(make("a/b/x") == 0, "folders: folders that exist are kept");
	ok(make("link/b/x") == 0, "folders: a link to a folder is a folder");
	ok(make("plain/x") == -ENOTDIR, "folders: a plain file in place of the last is -ENOTDIR");
	ok(make("plain/b/x") == -ENOTDIR, "folders: a plain file in place of another is -ENOTDIR");
	remove_below("a/b");
	remove_below("a");
	remove_below("link");
	remove_below("plain");
	remove_below("");
	return tap_done();
}
