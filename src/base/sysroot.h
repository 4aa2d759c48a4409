/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /proc and /sys through a root that a test can replace by a captured tree. The real machine has
 * the root "".
 */
#ifndef ET_BASE_SYSROOT_H
#define ET_BASE_SYSROOT_H

#include "base/attr.h"

#include <stdbool.h>

/* Reads root+path into buf, always terminated; returns the length or -errno. */
ssize_t et_sysroot_read(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
/* The same without the newline at the end. */
ssize_t et_sysroot_line(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
/* Where the link root+path points, always terminated; returns the length or -errno. */
ssize_t et_sysroot_link(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
bool et_sysroot_exists(const char *root, const char *path);
/*
 * The names in the folder root+path without those that begin with a dot, in the order of their
 * numbers (cpu2 before cpu10). Never NULL; et_strv_free frees it.
 */
char **et_sysroot_names(const char *root, const char *path);
/* Writes value into the file, which must exist. Returns 0 or -errno. */
int et_sysroot_write(const char *root, const char *path, const char *value) ET_CHECK;

#endif
