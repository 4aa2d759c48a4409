/* SPDX-License-Identifier: MIT */
#include "base/folder.h"

#include <sys/stat.h>

char *et_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return et_strdup(".");
	return et_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Makes a folder unless it exists; -ENOTDIR if something else has that name. */
static int make_folder(const char *path, mode_t mode)
{
	struct stat st;

	if (mkdir(path, mode) == 0)
		return 0;
	if (errno != EEXIST || stat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int et_folders_make(const char *path, mode_t mode)
{
	ET_AUTO_FREE char *folder = et_folder_of(path);

	for (char *p = folder + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		int rc = make_folder(folder, mode);
		if (rc)
			return rc;
		*p = '/';
	}
	return make_folder(folder, mode);
}
