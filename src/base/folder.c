/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/folder.h"
#include "base/alloc.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

char *et_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return et_strdup(".");
	return et_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int et_folders_make(const char *path, mode_t mode)
{
	ET_AUTO_FREE char *folder = et_folder_of(path);

	for (char *p = folder + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(folder, mode) < 0 && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return mkdir(folder, mode) < 0 && errno != EEXIST ? -errno : 0;
}
