/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table from numbers to values of one size. It is empty if all members but width are 0. */
#ifndef ET_BASE_HASH_H
#define ET_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct et_hash {
	size_t width; /* bytes of a value, a multiple of 8 */
	size_t n, cap;
	char *slots; /* each has a key, then a value; at most half are in use */
};

/* Returns the value of a key, or NULL. A key must not be 0. */
void *et_hash_find(const struct et_hash *h, uint64_t key);
/* Returns the value of a key, or a new one of zeros. This may move all other values. */
void *et_hash_put(struct et_hash *h, uint64_t key);
/* Returns the next value, or NULL after the last. *at is 0 before the first. */
void *et_hash_next(const struct et_hash *h, size_t *at);
/* Frees the memory. The table is empty then and can be used again. */
void et_hash_free(struct et_hash *h);

#endif
