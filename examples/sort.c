/* SPDX-License-Identifier: MIT */
/*
 * How does the time of sorting grow with the number of elements? The function contains its own
 * loop, so that refilling the array between two sorts is not timed. The parameter n is an axis.
 * `./sort` prints the times and the model that they follow.
 */
#include <etalon/etalon.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void fill(int *numbers, size_t n)
{
	unsigned seed = 1;

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		numbers[i] = (int)(seed >> 16);
	}
}

static void sort(struct etalon_state *state)
{
	size_t n = (size_t)etalon_param(state, 0);
	int *numbers = malloc(n * sizeof(*numbers));

	if (!numbers) {
		etalon_fail(state, "out of memory");
		return;
	}
	ETALON_LOOP(state)
	{
		etalon_pause(state);
		fill(numbers, n);
		etalon_resume(state);
		qsort(numbers, n, sizeof(*numbers), by_value);
		ETALON_CLOBBER();
	}
	etalon_set_items(state, (double)n);
	free(numbers);
}

int main(int argc, char **argv)
{
	const struct etalon_axis n = { "n", NULL, 0, 64, 16384, 4, 0 };
	struct etalon_bench bench = ETALON_BENCH_BODY(sort);

	bench.axes = &n;
	bench.n_axes = 1;
	bench.flags = ETALON_BENCH_COMPLEXITY;
	return etalon_bench_main(argc, argv, &bench, 1);
}
