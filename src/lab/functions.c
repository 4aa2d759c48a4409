/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/functions.h"
#include "base/alloc.h"

#include <string.h>

enum {
	MEMORY = 1 << 18,
	KEYS = 1000,
	BUCKETS = 1024,
	NUMBERS = 2000,
	TEXT = 20000,
	BLOCK = 200,
	ROUNDS_100_MS = 74000000, /* at some 1.4 ns each */
	ROUNDS_500_MS = 370000000,
};

struct entry {
	struct entry *next;
	unsigned key, value;
};

static char *memory, *text;
static struct entry *table[BUCKETS];
static int given[NUMBERS], sorted[NUMBERS];
static uint64_t state = 1;

static void copy_8k(void *arg)
{
	(void)arg;
	memcpy(memory + (16 << 10), memory, 8 << 10);
	ETALON_CLOBBER();
}

static void copy_64k(void *arg)
{
	(void)arg;
	memcpy(memory + (64 << 10), memory, 64 << 10);
	ETALON_CLOBBER();
}

static unsigned slot_of(unsigned key)
{
	return key * 2654435761u >> 22;
}

static void look_up(void *arg)
{
	unsigned sum = 0;

	(void)arg;
	for (unsigned i = 0; i < KEYS; i++) {
		const struct entry *e = table[slot_of(7 * i)];

		while (e->key != 7 * i)
			e = e->next;
		sum += e->value;
	}
	ETALON_KEEP(sum);
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void sort(void *arg)
{
	(void)arg;
	memcpy(sorted, given, sizeof(sorted));
	qsort(sorted, NUMBERS, sizeof(sorted[0]), by_value);
	ETALON_CLOBBER();
}

static void count(void *arg)
{
	unsigned n = 0;

	(void)arg;
	for (size_t i = 0; i < TEXT; i++)
		n += text[i] == 'x';
	ETALON_KEEP(n);
}

static void allocate(void *arg)
{
	void *p = malloc(BLOCK);

	(void)arg;
	ETALON_KEEP(p);
	free(p);
}

static void loop(long rounds)
{
	uint64_t x = state;

	for (long i = 0; i < rounds; i++) {
		x *= UINT64_C(0x9e3779b97f4a7c15);
		x ^= x >> 32;
	}
	state = x;
}

static void loop_100_ms(void *arg)
{
	(void)arg;
	loop(ROUNDS_100_MS);
}

static void loop_500_ms(void *arg)
{
	(void)arg;
	loop(ROUNDS_500_MS);
}

/* Allocates as an ordinary program would, so that every process has other addresses. */
static void prepare(void)
{
	unsigned seed = 1;

	memory = et_alloc(MEMORY);
	text = et_alloc(TEXT);
	memset(memory, 1, MEMORY);
	memset(text, 'x', TEXT);
	for (unsigned i = 0; i < KEYS; i++) {
		struct entry *e = et_alloc(sizeof(*e));

		*e = (struct entry){ table[slot_of(7 * i)], 7 * i, i };
		table[slot_of(7 * i)] = e;
	}
	for (size_t i = 0; i < NUMBERS; i++) {
		seed = seed * 1103515245u + 12345u;
		given[i] = (int)(seed >> 8);
	}
}

void et_lab_functions_end(void)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (table[i]) {
			struct entry *next = table[i]->next;

			free(table[i]);
			table[i] = next;
		}
	}
	free(text);
	free(memory);
}

const struct etalon_bench *et_lab_functions_begin(size_t *n)
{
	static const struct etalon_bench list[] = {
		ETALON_BENCH_ARG("copy-8k", copy_8k, NULL),
		ETALON_BENCH_ARG("copy-64k", copy_64k, NULL),
		ETALON_BENCH_ARG("look-up", look_up, NULL),
		ETALON_BENCH_ARG("sort", sort, NULL),
		ETALON_BENCH_ARG("count", count, NULL),
		ETALON_BENCH_ARG("malloc", allocate, NULL),
		ETALON_BENCH_ARG("loop-100ms", loop_100_ms, NULL),
		ETALON_BENCH_ARG("loop-500ms", loop_500_ms, NULL),
	};

	prepare();
	*n = ET_LENGTH(list);
	return list;
}

int et_lab_functions(int argc, char **argv)
{
	size_t n;
	const struct etalon_bench *list = et_lab_functions_begin(&n);
	int status = etalon_bench_main(argc, argv, list, n);

	et_lab_functions_end();
	return status;
}
