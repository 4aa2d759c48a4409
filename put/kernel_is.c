/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IS: sorts small integers by buckets, several times, with a few keys changed in between. It is
 * bound by memory: it reads in order and writes to a thousand places.
 */
#include "put/kernel_work.h"

enum {
	BUCKET_BITS = 10,
	BUCKETS = 1 << BUCKET_BITS,
	MOST_BITS = 22, /* of a key */
};

struct sort {
	size_t n;
	unsigned bits; /* of a key */
	uint32_t *keys, *sorted;
	/* Where each part of the keys writes its next key of each bucket. */
	size_t (*next)[BUCKETS];
	size_t begin[BUCKETS + 1];
};

/* The average of four uniform numbers: the buckets in the middle have more keys. */
static uint32_t key_of(size_t i, unsigned bits)
{
	double sum = 0;

	for (unsigned k = 0; k < 4; k++)
		sum += et_uniform(4 + k, i);
	return (uint32_t)(sum / 4 * (double)(UINT32_C(1) << bits));
}

static void count_keys(struct sort *s)
{
	unsigned shift = s->bits - BUCKET_BITS;

#pragma omp parallel for schedule(static)
	for (unsigned p = 0; p < ET_PARTS; p++) {
		size_t end = et_part_begin(s->n, p + 1);
		memset(s->next[p], 0, sizeof(s->next[p]));
		for (size_t i = et_part_begin(s->n, p); i < end; i++)
			s->next[p][s->keys[i] >> shift]++;
	}
	size_t at = 0;
	for (unsigned b = 0; b < BUCKETS; b++) {
		s->begin[b] = at;
		for (unsigned p = 0; p < ET_PARTS; p++) {
			size_t count = s->next[p][b];
			s->next[p][b] = at;
			at += count;
		}
	}
	s->begin[BUCKETS] = at;
}

static void fill_buckets(struct sort *s)
{
	unsigned shift = s->bits - BUCKET_BITS;

#pragma omp parallel for schedule(static)
	for (unsigned p = 0; p < ET_PARTS; p++) {
		size_t end = et_part_begin(s->n, p + 1);
		for (size_t i = et_part_begin(s->n, p); i < end; i++)
			s->sorted[s->next[p][s->keys[i] >> shift]++] = s->keys[i];
	}
}

/* The keys of a bucket differ in few bits only: they are counted and written again. */
static void sort_bucket(struct sort *s, unsigned bucket)
{
	uint32_t counts[1 << (MOST_BITS - BUCKET_BITS)], width = 1u << (s->bits - BUCKET_BITS);
	size_t at = s->begin[bucket];

	memset(counts, 0, width * sizeof(*counts));
	for (size_t i = at; i < s->begin[bucket + 1]; i++)
		counts[s->sorted[i] & (width - 1)]++;
	for (uint32_t low = 0; low < width; low++) {
		for (uint32_t k = counts[low]; k; k--)
			s->sorted[at++] = bucket * width + low;
	}
}

static void sort_keys(struct sort *s, bool spoil)
{
	count_keys(s);
	fill_buckets(s);
	s->sorted[s->n / 2] ^= spoil ? 1 : 0;
#pragma omp parallel for schedule(dynamic, 16)
	for (unsigned b = 0; b < BUCKETS; b++)
		sort_bucket(s, b);
}

/* Keys that are out of order, or not among the input; 0 if the sort is right. */
static double wrong_keys(const struct sort *s)
{
	uint64_t in = 0, out = 0;
	size_t wrong = 0;

	for (size_t i = 0; i < s->n; i++) {
		in += et_hash(9, s->keys[i]);
		out += et_hash(9, s->sorted[i]);
		wrong += i > 0 && s->sorted[i - 1] > s->sorted[i];
	}
	return (double)wrong + (in != out);
}

void et_kernel_is(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct {
		unsigned keys, bits; /* logarithms of the number of keys and of their range */
		uint32_t times;
	} sizes[ET_CLASSES] = { { 17, 14, 10 }, { 20, 16, 10 }, { 22, 18, 10 }, { 24, 20, 20 },
		{ 26, 22, 40 } };
	uint32_t times = sizes[size].times;
	struct sort s = { .n = (size_t)1 << sizes[size].keys, .bits = sizes[size].bits };
	ET_AUTO_FREE uint32_t *keys = et_calloc(2 * s.n, sizeof(*keys));
	ET_AUTO_FREE size_t(*next)[BUCKETS] = et_calloc(ET_PARTS, sizeof(*next));
	uint64_t sum = 0;

	s.keys = keys;
	s.sorted = keys + s.n;
	s.next = next;
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < s.n; i++)
		keys[i] = key_of(i, s.bits);
	for (uint32_t i = 0; i < times; i++) {
		keys[i] = i;
		keys[i + times] = (UINT32_C(1) << s.bits) - 1 - i;
		sort_keys(&s, spoil && i + 1 == times);
		sum += s.sorted[et_hash(8, i) & (s.n - 1)];
	}
	for (size_t i = 0; i < s.n; i++)
		sum += (uint64_t)s.sorted[i] * (i + 1);
	out->value = et_checksum(sum);
	out->error = wrong_keys(&s);
	out->limit = 0;
	out->check = "the number of keys that are wrong";
	snprintf(out->detail, sizeof(out->detail), "%zu keys below %u, sorted %u times", s.n,
		1u << s.bits, times);
}
