/* SPDX-License-Identifier: MIT */
/* Times a loop by the counter, and all repetitions by the stopwatch. */
#include <etalon/etalon.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	struct etalon_stopwatch watch;
	volatile unsigned x = 1;
	uint64_t least = UINT64_MAX;

	etalon_stopwatch_start(&watch);
	for (int i = 0; i < 1000; i++) {
		uint64_t t = etalon_ticks_start();
		for (int k = 0; k < 100; k++)
			x = x * 3;
		t = etalon_ticks_stop() - t;
		if (t < least)
			least = t;
	}
	printf("100 products: at least %" PRIu64 " ticks\n", least);
	printf("1000 repetitions: %" PRIu64 " ns\n", etalon_stopwatch_ns(&watch));
	return 0;
}
