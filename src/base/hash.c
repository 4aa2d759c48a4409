/* SPDX-License-Identifier: MIT */
#include "base/hash.h"
#include "base/base.h"

uint64_t et_hash_bytes(const char *bytes, size_t n)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
	return hash;
}

uint64_t et_hash_text(const char *text)
{
	return et_hash_bytes(text, strlen(text));
}

static uint64_t *slot_at(const struct et_hash *h, size_t i)
{
	return (uint64_t *)(void *)(h->slots + i * (sizeof(uint64_t) + h->width));
}

/* Returns the slot of the key, or the free slot where it belongs. */
static uint64_t *slot_of(const struct et_hash *h, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (h->cap - 1);

	while (*slot_at(h, i) && *slot_at(h, i) != key)
		i = (i + 1) & (h->cap - 1);
	return slot_at(h, i);
}

static void grow(struct et_hash *h)
{
	struct et_hash old = *h;

	h->cap = old.cap ? 2 * old.cap : 256;
	h->slots = et_calloc(h->cap, sizeof(uint64_t) + h->width);
	for (size_t i = 0; i < old.cap; i++) {
		const uint64_t *slot = slot_at(&old, i);
		if (*slot)
			memcpy(slot_of(h, *slot), slot, sizeof(uint64_t) + h->width);
	}
	free(old.slots);
}

void *et_hash_find(const struct et_hash *h, uint64_t key)
{
	uint64_t *slot = h->cap ? slot_of(h, key) : NULL;

	return slot && *slot ? slot + 1 : NULL;
}

void *et_hash_put(struct et_hash *h, uint64_t key)
{
	void *found = et_hash_find(h, key);

	if (found)
		return found;
	if (2 * h->n >= h->cap)
		grow(h);
	uint64_t *slot = slot_of(h, key);
	*slot = key;
	h->n++;
	return slot + 1;
}

void *et_hash_next(const struct et_hash *h, size_t *at)
{
	while (*at < h->cap) {
		uint64_t *slot = slot_at(h, (*at)++);
		if (*slot)
			return slot + 1;
	}
	return NULL;
}

void et_hash_free(struct et_hash *h)
{
	free(h->slots);
	h->slots = NULL;
	h->n = h->cap = 0;
}
