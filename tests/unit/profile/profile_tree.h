/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of files for a test, in place of the machine's root. */
#pragma once

#include "tap.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the folder; the template ends with XXXXXX. */
static inline void tree_begin(char *root)
{
	if (!mkdtemp(root))
		tap_bail("cannot make the folder %s", root);
}

static inline void tree_write(const char *root, const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdir(full, 0755) < 0 && errno != EEXIST)
			tap_bail("cannot make the folder %s", full);
	}
	FILE *f = fopen(full, "we");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		tap_bail("cannot write %s", full);
}

static inline void tree_remove(const char *root, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	unlink(full);
}

/* Removes the folder and all that is in it. */
static inline void tree_end(const char *root)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf -- '%s'", root);
	if (system(command) != 0)
		printf("# cannot remove %s\n", root);
}
