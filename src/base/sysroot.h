/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes /proc and /sys below a root folder. The root of the real machine is ""; a test
 * passes a captured tree. The file is named by root followed by path, which begins with a slash.
 */
#pragma once

#include "base/base.h"

/* Reads a file into buf, cut off if it is too long. Returns the length of the string or -errno. */
ssize_t et_sysroot_read(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
/* The same for the first line only, without its newline. */
ssize_t et_sysroot_line(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
/* The same for the target of a symbolic link. */
ssize_t et_sysroot_link(const char *root, const char *path, char *buf, size_t size) ET_CHECK;
bool et_sysroot_exists(const char *root, const char *path);
/*
 * Returns the names in a folder, except those that begin with a dot, in the order of versionsort()
 * (cpu2 before cpu10). The list is empty if the folder cannot be read; et_strv_free frees it.
 */
char **et_sysroot_names(const char *root, const char *path);
/* Writes value to a file that must exist. Returns 0 or -errno. */
int et_sysroot_write(const char *root, const char *path, const char *value) ET_CHECK;
