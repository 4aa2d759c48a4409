/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The size of the last-level cache, and evicting its contents. */
#ifndef ET_LIB_CACHE_H
#define ET_LIB_CACHE_H

#include <stddef.h>

/* Returns the size of CPU 0's largest cache, or 0 if sysfs below root ("" in production) lacks it.
 */
size_t et_cache_bytes(const char *root);
/* Writes to every cache line of the memory, which evicts everything else from a cache of its size.
 */
void et_cache_clear(void *memory, size_t bytes);

#endif
