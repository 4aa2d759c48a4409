/* SPDX-License-Identifier: MIT */
/* A benchmark program with two functions. `./sum --help` shows its options. */
#include <etalon/etalon.h>

enum { N = 1000 };
double numbers[N]; /* not static, so that the compiler cannot know that all are 0 */

static void sum_forward(void *arg)
{
	double sum = 0;

	(void)arg;
	for (int i = 0; i < N; i++)
		sum += numbers[i];
	ETALON_KEEP(sum);
}

static void sum_pairs(void *arg)
{
	double even = 0, odd = 0;

	(void)arg;
	for (int i = 0; i < N; i += 2) {
		even += numbers[i];
		odd += numbers[i + 1];
	}
	ETALON_KEEP(even + odd);
}

ETALON_MAIN(ETALON_BENCH(sum_forward), ETALON_BENCH(sum_pairs))
