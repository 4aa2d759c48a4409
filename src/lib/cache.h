/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last-level cache: how large it is, and filling it with something else. */
#ifndef ET_LIB_CACHE_H
#define ET_LIB_CACHE_H

#include <stddef.h>

/* Bytes of the largest cache of the first CPU below root ("" is this machine); 0: not told. */
size_t et_cache_bytes(const char *root);
/* Walks through memory so that nothing older is left in a cache of its size. */
void et_cache_clear(void *memory, size_t bytes);

#endif
