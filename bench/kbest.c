/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times a function of known duration (lab/self_timed.h) and the timing pair. Prints:
 *
 * bench-kbest block          ns of one block of the function, and Hz of the counter
 * bench-kbest ours N         N blocks by libetalon: ns, true ns, predicted relative error
 * bench-kbest plain N        N blocks by the published scheme: ns, true ns
 * bench-kbest pair           ns of the timing pair, of two bare readings of the counter, of the
 *                            stopwatch, and of two readings of the clock
 */
#include "num/kbest.h"
#include "base/clock.h"
#include "clock/counter.h"
#include "lab/self_timed.h"

#include <etalon/etalon.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	PLAIN_K = 3,
	PLAIN_M = 20,
	STAMPS = 16 << 20, /* time stamps of blocks, for the true time */
	PAIRS = 20000,
	ROUNDS = 200,
};

static const uint64_t LIMIT_NS = 30000000000; /* for libetalon to converge */

static double counter_hz(void)
{
	struct et_counter c;

	et_counter_identify(&c);
	if (et_counter_calibrate(&c, 200000000)) {
		fprintf(stderr, "bench-kbest: cannot calibrate the processor's counter\n");
		exit(1);
	}
	return c.hz;
}

static int block(void)
{
	double hz = counter_hz();

	printf("%.9g %.9g\n", et_self_timed_block() / hz * 1e9, hz);
	return 0;
}

static int ours(size_t blocks)
{
	double hz = counter_hz();
	struct etalon_kbest_result q;
	struct etalon_kbest_opts o;
	struct et_self_timed f;

	etalon_kbest_opts_init(&o, sizeof(o));
	o.limit_ns = LIMIT_NS;
	et_self_timed_init(&f, blocks, STAMPS / blocks);
	int rc = etalon_kbest(et_self_timed_call, &f, &o, &q, sizeof(q));
	if (rc != ETALON_OK && rc != ETALON_NOT_CONVERGED) {
		fprintf(stderr, "%s\n", etalon_strerror(rc));
		return 1;
	}
	printf("%.9g %.9g %.9g\n", q.ns, et_self_timed_shortest(&f) / hz * 1e9, q.error);
	et_self_timed_free(&f);
	return 0;
}

/* K = 3, epsilon = 0.1 %, M = 20. It uses nothing of etalon except the counter's rate. */
static int plain(size_t blocks)
{
	double hz = counter_hz();
	struct et_kbest_set s;
	struct et_self_timed f;

	et_kbest_set_init(&s, PLAIN_K);
	et_self_timed_init(&f, blocks, PLAIN_M + 1);
	et_self_timed_call(&f);
	f.calls = 0;
	do {
		uint64_t t = et_counter_start();

		et_self_timed_call(&f);
		et_kbest_set_add(&s, (double)(et_counter_stop() - t), 0);
	} while (!et_kbest_converged(&s, 0.001) && s.n < PLAIN_M);
	printf("%.9g %.9g\n", s.value[0] / hz * 1e9, et_self_timed_shortest(&f) / hz * 1e9);
	et_self_timed_free(&f);
	return 0;
}

static inline uint64_t bare(void)
{
#if defined(__x86_64__)
	uint32_t lo, hi, aux;

	__asm__ volatile("rdtscp" : "=a"(lo), "=d"(hi), "=c"(aux) : : "memory");
	return (uint64_t)hi << 32 | lo;
#else
	return et_counter_start();
#endif
}

/* The kinds take turns; each figure is the minimum of many rounds. */
static int pair(void)
{
	double least[4] = { INFINITY, INFINITY, INFINITY, INFINITY };

	for (int round = 0; round < 4 * ROUNDS; round++) {
		struct etalon_stopwatch watch;
		uint64_t sum = 0, start = et_clock_read_ns(CLOCK_MONOTONIC_RAW);

		for (int i = 0; i < PAIRS / 4; i++) {
			switch (round % 4) {
			case 0:
				sum -= etalon_ticks_start();
				sum += etalon_ticks_stop();
				break;
			case 1:
				sum -= bare();
				sum += bare();
				break;
			case 2:
				etalon_stopwatch_start(&watch);
				sum += etalon_stopwatch_ns(&watch);
				break;
			default:
				sum -= et_clock_read_ns(CLOCK_MONOTONIC);
				sum += et_clock_read_ns(CLOCK_MONOTONIC);
			}
		}
		ETALON_KEEP(sum);
		double ns = (double)(et_clock_read_ns(CLOCK_MONOTONIC_RAW) - start) / (PAIRS / 4.0);
		least[round % 4] = fmin(least[round % 4], ns);
	}
	printf("%.6g %.6g %.6g %.6g\n", least[0], least[1], least[2], least[3]);
	return 0;
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc == 2 && !strcmp(argv[1], "block"))
		return block();
	if (argc == 2 && !strcmp(argv[1], "pair"))
		return pair();
	if (argc == 3 && n && n <= STAMPS && !strcmp(argv[1], "ours"))
		return ours(n);
	if (argc == 3 && n && n <= STAMPS && !strcmp(argv[1], "plain"))
		return plain(n);
	fprintf(stderr, "usage: bench-kbest block | pair | ours N | plain N\n");
	return 2;
}
