/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A benchmark program of a function of 1 µs and one of 1 ms; built with PERMILLE more work. */
#include <etalon/etalon.h>

static uint64_t state = 1;

static void loop(long rounds)
{
	uint64_t x = state;

	rounds = rounds * (1000 + PERMILLE) / 1000;
	for (long i = 0; i < rounds; i++) {
		x *= UINT64_C(0x9e3779b97f4a7c15);
		x ^= x >> 32;
	}
	state = x;
}

static void take_1us(void *arg)
{
	(void)arg;
	loop(700);
}

static void take_1ms(void *arg)
{
	(void)arg;
	loop(700000);
}

ETALON_MAIN(ETALON_BENCH_ARG("1us", take_1us, 0), ETALON_BENCH_ARG("1ms", take_1ms, 0))
