/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/functions.h"
#include "base/base.h"

enum {
	MEMORY = 1 << 18,
	KEYS = 1000,
	BUCKETS = 1024,
	NUMBERS = 2000,
	TEXT = 20000,
	BLOCK = 200,
	ROUNDS_100_MS = 74000000, /* at some 1.4 ns each */
	ROUNDS_500_MS = 370000000,
	FUNCTIONS = 8,
};

struct entry {
	struct entry *next;
	unsigned key, value;
};

struct et_lab_data {
	char *memory, *text;
	struct entry *table[BUCKETS];
	int given[NUMBERS], sorted[NUMBERS];
	uint64_t state;
	struct etalon_bench list[FUNCTIONS];
};

static void copy_8k(void *arg)
{
	char *memory = ((struct et_lab_data *)arg)->memory;

	memcpy(memory + (16 << 10), memory, 8 << 10);
	ETALON_CLOBBER();
}

static void copy_64k(void *arg)
{
	char *memory = ((struct et_lab_data *)arg)->memory;

	memcpy(memory + (64 << 10), memory, 64 << 10);
	ETALON_CLOBBER();
}

static unsigned slot_of(unsigned key)
{
	return key * 2654435761u >> 22;
}

static void look_up(void *arg)
{
	const struct et_lab_data *d = arg;
	unsigned sum = 0;

	for (unsigned i = 0; i < KEYS; i++) {
		const struct entry *e = d->table[slot_of(7 * i)];

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
	struct et_lab_data *d = arg;

	memcpy(d->sorted, d->given, sizeof(d->sorted));
	qsort(d->sorted, NUMBERS, sizeof(d->sorted[0]), by_value);
	ETALON_CLOBBER();
}

static void count(void *arg)
{
	const char *text = ((const struct et_lab_data *)arg)->text;
	unsigned n = 0;

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

static void loop(struct et_lab_data *d, long rounds)
{
	uint64_t x = d->state;

	for (long i = 0; i < rounds; i++) {
		x *= UINT64_C(0x9e3779b97f4a7c15);
		x ^= x >> 32;
	}
	d->state = x;
}

static void loop_100_ms(void *arg)
{
	loop(arg, ROUNDS_100_MS);
}

static void loop_500_ms(void *arg)
{
	loop(arg, ROUNDS_500_MS);
}

/* Allocates as an ordinary program would, so that every process has other addresses. */
static void prepare(struct et_lab_data *d)
{
	unsigned seed = 1;

	d->state = 1;
	d->memory = et_alloc(MEMORY);
	d->text = et_alloc(TEXT);
	memset(d->memory, 1, MEMORY);
	memset(d->text, 'x', TEXT);
	for (unsigned i = 0; i < KEYS; i++) {
		struct entry *e = et_alloc(sizeof(*e)), **slot = &d->table[slot_of(7 * i)];

		*e = (struct entry){ *slot, 7 * i, i };
		*slot = e;
	}
	for (size_t i = 0; i < NUMBERS; i++) {
		seed = seed * 1103515245u + 12345u;
		d->given[i] = (int)(seed >> 8);
	}
}

void et_lab_functions_end(struct et_lab_data *d)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (d->table[i]) {
			struct entry *next = d->table[i]->next;

			free(d->table[i]);
			d->table[i] = next;
		}
	}
	free(d->text);
	free(d->memory);
	free(d);
}

struct et_lab_data *et_lab_functions_begin(const struct etalon_bench **list, size_t *n)
{
	struct et_lab_data *d = et_calloc(1, sizeof(*d));
	const struct etalon_bench all[FUNCTIONS] = {
		ETALON_BENCH_ARG("copy-8k", copy_8k, d),
		ETALON_BENCH_ARG("copy-64k", copy_64k, d),
		ETALON_BENCH_ARG("look-up", look_up, d),
		ETALON_BENCH_ARG("sort", sort, d),
		ETALON_BENCH_ARG("count", count, d),
		ETALON_BENCH_ARG("malloc", allocate, d),
		ETALON_BENCH_ARG("loop-100ms", loop_100_ms, d),
		ETALON_BENCH_ARG("loop-500ms", loop_500_ms, d),
	};

	prepare(d);
	memcpy(d->list, all, sizeof(all));
	*list = d->list;
	*n = FUNCTIONS;
	return d;
}

int et_lab_functions(int argc, char **argv)
{
	const struct etalon_bench *list;
	size_t n;
	struct et_lab_data *d = et_lab_functions_begin(&list, &n);
	int status = etalon_bench_main(argc, argv, list, n);

	et_lab_functions_end(d);
	return status;
}
