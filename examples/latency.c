/* SPDX-License-Identifier: MIT */
/*
 * Latency and throughput of a few instructions. In "latency" each iteration needs the result of the
 * one before, so the time is how long a result takes. In "throughput" iterations do not depend on
 * each other, and a processor executes several of them at once: the time is how often a result
 * comes. Both are true: a program meets the first if it waits for each result.
 * "folded" shows what happens if the input is not hidden: the compiler computes the result in
 * advance, and nothing is left to be timed.
 */
#include <etalon/etalon.h>

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

static void latency(struct etalon_state *state)
{
	uint64_t x = 7;

	ETALON_LOOP(state)
	{
		x = mix(x);
		ETALON_HIDE(x);
	}
}

static void throughput(struct etalon_state *state)
{
	uint64_t x = 7;

	ETALON_LOOP(state)
	{
		ETALON_HIDE(x);
		ETALON_KEEP(mix(x));
	}
}

static void folded(struct etalon_state *state)
{
	ETALON_LOOP(state)
	{
		ETALON_KEEP(mix(7));
	}
}

ETALON_MAIN(ETALON_BENCH_BODY(latency), ETALON_BENCH_BODY(throughput), ETALON_BENCH_BODY(folded))
