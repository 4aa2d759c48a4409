/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small tree of files that a test writes and passes as the root of /proc and /sys. */
#pragma once

#include "base/base.h"
#include "tap.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree[64];

static inline void tree_open(void)
{
	snprintf(tree, sizeof(tree), "/tmp/etalon-tree.XXXXXX");
	if (!mkdtemp(tree))
		tap_bail("cannot make a temporary folder");
}

static inline char *tree_path(const char *path)
{
	char *full = et_asprintf("%s%s", tree, path);

	for (char *p = full + strlen(tree) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	return full;
}

static inline void tree_write(const char *path, const char *text)
{
	ET_AUTO_FREE char *full = tree_path(path);
	FILE *f = fopen(full, "w");

	if (!f || fputs(text, f) == EOF || fclose(f) == EOF)
		tap_bail("cannot write %s", full);
}

static inline int tree_unlink(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void tree_close(void)
{
	nftw(tree, tree_unlink, 8, FTW_DEPTH | FTW_PHYS);
}
