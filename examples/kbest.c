/* SPDX-License-Identifier: MIT */
/* Times one function with changed options and prints the warnings. */
#include <etalon/etalon.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void sort(void *arg)
{
	int numbers[256];
	unsigned seed = *(unsigned *)arg;

	for (int i = 0; i < 256; i++) {
		seed = seed * 1103515245u + 12345u;
		numbers[i] = (int)(seed >> 16);
	}
	qsort(numbers, 256, sizeof(numbers[0]), by_value);
	ETALON_KEEP(numbers);
}

int main(void)
{
	struct etalon_kbest_opts opts;
	struct etalon_kbest_result r;
	unsigned seed = 1;

	etalon_kbest_opts_init(&opts, sizeof(opts));
	opts.k = 5;
	opts.epsilon = 0.005;
	int rc = etalon_kbest(sort, &seed, &opts, &r, sizeof(r));
	if (rc != ETALON_OK && rc != ETALON_NOT_CONVERGED) {
		fprintf(stderr, "sort: %s\n", etalon_strerror(rc));
		return 1;
	}
	printf("sort: %.1f ns, %.0f %s, within %.2g %%\n", r.ns, r.ticks, r.unit, r.error * 100);
	for (unsigned bit = 1; bit; bit <<= 1)
		if (r.warnings & bit)
			printf("warning: %s\n", etalon_warning_text(bit));
	return 0;
}
