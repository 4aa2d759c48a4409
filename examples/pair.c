/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timing pair around a stretch of one's own, and the stopwatch. */
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
	printf("100 products: %" PRIu64 " ticks at best\n", least);
	printf("all of it: %" PRIu64 " ns\n", etalon_stopwatch_ns(&watch));
	return 0;
}
