/* SPDX-License-Identifier: MIT */
/* The folders that contain a file. */
#pragma once

#include "base/base.h"

#include <sys/types.h>

/* Returns the folder that contains path, "." if path has no slash. The caller frees it. */
char *et_folder_of(const char *path);
/* Makes the folders that path is in, as far as they are missing. Returns 0 or -errno. */
int et_folders_make(const char *path, mode_t mode) ET_CHECK;
