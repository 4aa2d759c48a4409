/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders that a file stands in. */
#ifndef ET_BASE_FOLDER_H
#define ET_BASE_FOLDER_H

#include "base/attr.h"

#include <sys/types.h>

/* The folder that path stands in; caller frees. */
char *et_folder_of(const char *path);
/* Makes what is missing of the folders above path; 0 or -errno. */
int et_folders_make(const char *path, mode_t mode) ET_CHECK;

#endif
