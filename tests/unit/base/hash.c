/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash table, compared with a plain array. */
#include "base/hash.h"
#include "tap.h"

enum { KEYS = 5000 };

/* Consecutive numbers, and numbers with the same low half. */
static uint64_t key(uint64_t k)
{
	return k % 2 ? k << 32 | 1 : k;
}

int main(void)
{
	struct et_hash h = { .width = 2 * sizeof(uint64_t) };
	static uint64_t plain[KEYS + 1];
	uint64_t x = 1, sum = 0, wanted = 0;
	size_t n = 0, wrong = 0, seen = 0, at = 0;

	ok(!et_hash_find(&h, 1) && !et_hash_next(&h, &at), "hash: a new table is empty");
	for (int i = 0; i < 20000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		uint64_t k = 1 + (x >> 33) % KEYS, *value = et_hash_put(&h, key(k));
		wrong += value[0] != plain[k];
		n += plain[k] == 0;
		value[0] = plain[k] = x | 1;
	}
	ok(wrong == 0, "hash: put finds the values of earlier puts");
	ok(h.n == n && n > 4000, "hash: each key is stored once");
	for (uint64_t k = 1; k <= KEYS; k++) {
		const uint64_t *value = et_hash_find(&h, key(k));
		wrong += (value ? value[0] : 0) != plain[k] || (value && value[1]);
		wanted += plain[k];
	}
	ok(wrong == 0, "hash: find returns the values that were put and no others");
	for (uint64_t *value; (value = et_hash_next(&h, &at)); seen++)
		sum += value[0];
	ok(seen == n && sum == wanted, "hash: next visits every value once");
	et_hash_free(&h);
	ok(!et_hash_find(&h, 1) && h.n == 0, "hash: a freed table is empty");
	uint64_t *value = et_hash_put(&h, 7);
	ok(value[0] == 0 && value == et_hash_find(&h, 7), "hash: a freed table can be used again");
	et_hash_free(&h);
	return tap_done();
}
