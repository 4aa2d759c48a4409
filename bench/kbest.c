/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-kbest fit            slope and intercept of T(r) = m r + b over short runs, ns
 * bench-kbest ours R         by libetalon: ns, predicted relative error, samples, interrupted
 * bench-kbest plain R        by the published scheme as it stands: ns, samples
 * bench-kbest pair           ns of the timing pair, of two bare reads; of the stopwatch, of two
 * reads
 */
#include "num/kbest.h"
#include "base/clock.h"
#include "bench/kbest_work.h"
#include "clock/counter.h"

#include <etalon/etalon.h>
#include <math.h>
#include <string.h>

enum {
	FIT_FIRST = 100000,
	FIT_LAST = 800000,
	PLAIN_K = 3,
	PLAIN_M = 20,
	PAIRS = 20000,
	ROUNDS = 200,
};

static void work(void *arg)
{
	kbest_work(*(unsigned long *)arg);
}

static int fit(void)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (unsigned long r = FIT_FIRST; r <= FIT_LAST; r += FIT_FIRST) {
		struct et_kbest_result q;
		int rc = et_kbest(work, &r, NULL, &q, sizeof(q));

		if (rc != ET_OK)
			fprintf(stderr, "fit: %lu rounds: %s\n", r, et_strerror(rc));
		if (rc != ET_OK && rc != ET_NOT_CONVERGED)
			return 1;
		n++;
		sx += (double)r;
		sy += q.ns;
		sxx += (double)r * (double)r;
		sxy += (double)r * q.ns;
	}
	double m = (n * sxy - sx * sy) / (n * sxx - sx * sx);
	printf("%.9g %.9g\n", m, (sy - m * sx) / n);
	return 0;
}

static int ours(unsigned long r)
{
	struct et_kbest_result q;
	int rc = et_kbest(work, &r, NULL, &q, sizeof(q));

	if (rc != ET_OK && rc != ET_NOT_CONVERGED) {
		fprintf(stderr, "%s\n", et_strerror(rc));
		return 1;
	}
	printf("%.9g %.9g %llu %llu\n", q.ns, q.error, (unsigned long long)q.samples,
		(unsigned long long)q.interrupted);
	return 0;
}

/* K 3, epsilon 0.1 %, M 20; the counter's rate is the only thing it gets from us. */
static int plain(unsigned long r)
{
	struct et_kbest_set s;
	struct et_counter c;

	et_counter_identify(&c);
	if (et_counter_calibrate(&c, 100000000)) {
		fprintf(stderr, "no counter\n");
		return 1;
	}
	et_kbest_set_init(&s, PLAIN_K);
	kbest_work(r);
	do {
		uint64_t t = et_counter_start();

		kbest_work(r);
		et_kbest_set_add(&s, (double)(et_counter_stop() - t), 0);
	} while (!et_kbest_converged(&s, 0.001) && s.n < PLAIN_M);
	printf("%.9g %zu\n", s.value[0] / c.hz * 1e9, s.n);
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

/* The least of many rounds, in turn, each of one kind. */
static int pair(void)
{
	double least[4] = { INFINITY, INFINITY, INFINITY, INFINITY };

	for (int round = 0; round < 4 * ROUNDS; round++) {
		struct et_stopwatch watch;
		uint64_t sum = 0, start = et_clock_read_ns(CLOCK_MONOTONIC_RAW);

		for (int i = 0; i < PAIRS / 4; i++) {
			switch (round % 4) {
			case 0:
				sum -= et_ticks_start();
				sum += et_ticks_stop();
				break;
			case 1:
				sum -= bare();
				sum += bare();
				break;
			case 2:
				et_stopwatch_start(&watch);
				sum += et_stopwatch_ns(&watch);
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
	unsigned long r = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc == 2 && !strcmp(argv[1], "fit"))
		return fit();
	if (argc == 2 && !strcmp(argv[1], "pair"))
		return pair();
	if (argc == 3 && r && !strcmp(argv[1], "ours"))
		return ours(r);
	if (argc == 3 && r && !strcmp(argv[1], "plain"))
		return plain(r);
	fprintf(stderr, "usage: bench-kbest fit | pair | ours R | plain R\n");
	return 2;
}
