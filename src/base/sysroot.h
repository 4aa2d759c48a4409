/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /proc and /sys through a root that a test can replace by a captured tree. The real machine has
 * the root "".
 */
#ifndef ET_BASE_SYSROOT_H
#define ET_BASE_SYSROOT_H

#include "base/attr.h"

/* Reads root+path into buf, always terminated; returns the length or -errno. */
ssize_t et_sysroot_read(const char *root, const char *path, char *buf, size_t size);
/* The same without the newline at the end. */
ssize_t et_sysroot_line(const char *root, const char *path, char *buf, size_t size);

#endif
