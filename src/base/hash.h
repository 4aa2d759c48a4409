/* SPDX-License-Identifier: MIT */
/* A hash table from numbers to values of one size. To begin, set width; the rest must be 0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct et_hash {
	size_t width;  /* bytes of a value, a multiple of 8 */
	size_t n, cap; /* slots in use, and all slots */
	char *slots;   /* each has a key, then a value; at most half are in use */
};

/* Returns a 64-bit hash: FNV-1a (Fowler, Noll and Vo). It is easy to find bytes that collide. */
uint64_t et_hash_bytes(const char *bytes, size_t n);
uint64_t et_hash_text(const char *text);

/* Returns the value of a key, or NULL if there is none. A key must not be 0. */
void *et_hash_find(const struct et_hash *h, uint64_t key);
/* The same, but adds a value of zeros if there is none, which may move all other values. */
void *et_hash_put(struct et_hash *h, uint64_t key);
/* Walks over all values, in no order: set *at to 0 first. Returns NULL after the last. */
void *et_hash_next(const struct et_hash *h, size_t *at);
/* Frees the memory. The table is then empty and can be used again. */
void et_hash_free(struct et_hash *h);
