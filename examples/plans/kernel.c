/* SPDX-License-Identifier: MIT */
/*
 * Three small programs for experiments with a compiler: `kernel product`, `kernel sort` and `kernel
 * hash`, each about 50 ms with -O2. They verify their results. Build: cc -O2 -o kernel kernel.c
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 160, PRODUCTS = 60, NUMBERS = 50000, SORTS = 8, BYTES = 1 << 20, HASHES = 40 };

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* A product of matrices; loops that a compiler can vectorise. All rows of the result are alike. */
static int product(void)
{
	static float a[ROWS][ROWS], b[ROWS][ROWS], c[ROWS][ROWS];

	for (int times = 0; times < PRODUCTS; times++) {
		memset(c, 0, sizeof(c));
		for (int i = 0; i < ROWS; i++) {
			for (int j = 0; j < ROWS; j++) {
				a[i][j] = (float)(j % 4);
				b[i][j] = (float)((i + j + times) % 8);
			}
		}
		for (int i = 0; i < ROWS; i++) {
			for (int k = 0; k < ROWS; k++) {
				for (int j = 0; j < ROWS; j++)
					c[i][j] += a[i][k] * b[k][j];
			}
		}
		if (memcmp(c[0], c[ROWS / 2], sizeof(c[0])) || c[0][0] <= 0)
			return 1;
	}
	return 0;
}

/* Shell sort; branches that depend on the data. */
static int sort(void)
{
	static uint32_t a[NUMBERS];
	uint32_t state = 1;

	for (int times = 0; times < SORTS; times++) {
		for (int i = 0; i < NUMBERS; i++)
			a[i] = random_next(&state);
		for (int gap = NUMBERS / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
			for (int i = gap; i < NUMBERS; i++) {
				uint32_t value = a[i];
				int k = i;
				for (; k >= gap && a[k - gap] > value; k -= gap)
					a[k] = a[k - gap];
				a[k] = value;
			}
		}
		for (int i = 1; i < NUMBERS; i++) {
			if (a[i - 1] > a[i])
				return 1;
		}
	}
	return 0;
}

/* FNV-1a; each step waits for the one before. The same bytes must have the same hash. */
static int hash(void)
{
	static unsigned char bytes[BYTES];
	uint32_t state = 1, first = 0;

	for (int i = 0; i < BYTES; i++)
		bytes[i] = (unsigned char)random_next(&state);
	for (int times = 0; times < HASHES; times++) {
		uint32_t h = 2166136261u;
		for (int i = 0; i < BYTES; i++)
			h = (h ^ bytes[i]) * 16777619u;
		if (times && h != first)
			return 1;
		first = h;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} programs[] = { { "product", product }, { "sort", sort }, { "hash", hash } };

	for (size_t i = 0; argc == 2 && i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, argv[1]))
			continue;
		int wrong = programs[i].run();
		if (wrong)
			fprintf(stderr, "kernel %s: wrong result\n", argv[1]);
		return wrong;
	}
	fputs("usage: kernel product|sort|hash\n", stderr);
	return 2;
}
