/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes /proc and /sys below a root, which a test can replace by a captured tree. The
 * root of the real machine is "".
 */
#ifndef ET_BASE_SYSROOT_H
#define ET_BASE_SYSROOT_H

#include "base/attr.h"

#include <stdbool.h>

/* Reads the file root+path into buf and terminates it. Returns the length or -errno. */
ssize_t et_sysroot_read(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
/* The same for the first line only, without its newline. */
ssize_t et_sysroot_line(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
/* Reads the target of the symbolic link root+path. Returns the length or -errno. */
ssize_t et_sysroot_link(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
bool et_sysroot_exists(const char *root, const char *path);
/*
 * Lists the folder root+path without names that begin with a dot, ordered by the numbers in them
 * (cpu2 before cpu10). Returns an empty list if it cannot be read; et_strv_free frees it.
 */
char **et_sysroot_names(const char *root, const char *path);
/* Writes value to the file, which must exist. Returns 0 or -errno. */
int et_sysroot_write(const char *root, const char *path, const char *value) ET_CHECK;

#endif
