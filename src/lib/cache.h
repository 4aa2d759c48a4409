/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The size of the last-level cache, and a way to evict its contents. */
#ifndef ET_LIB_CACHE_H
#define ET_LIB_CACHE_H

#include <stddef.h>

/* Returns the size of CPU 0's largest cache, or 0 if it is unknown. root: see base/sysroot.h. */
size_t et_cache_bytes(const char *root);
/* Writes to each line of the memory, so that a cache of that size contains nothing else. */
void et_cache_clear(void *memory, size_t bytes);

#endif
