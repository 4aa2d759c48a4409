/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of one size, found by a number. All zero but the width is an empty one. */
#ifndef ET_BASE_HASH_H
#define ET_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct et_hash {
	size_t width; /* of a value, a multiple of 8 */
	size_t n, cap;
	char *slots; /* the key, then the value; at most half of them are taken */
};

/* The value of a key (not 0), or NULL. */
void *et_hash_find(const struct et_hash *h, uint64_t key);
/* The same, and a new one, all zero, where there is none; values may move. */
void *et_hash_put(struct et_hash *h, uint64_t key);
/* The next value behind place *at, from 0 on, or NULL. */
void *et_hash_next(const struct et_hash *h, size_t *at);
/* Empties it, and gives its memory back. */
void et_hash_free(struct et_hash *h);

#endif
