/* SPDX-License-Identifier: MIT */
/* Rate and conversion of ticks, cost of the pair, inactive periods: called as a user does. */
#include "tap.h"

#include <etalon/etalon.h>
#include <pthread.h>
#include <time.h>

static double raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The rate by a sleep of 50 ms, as the chapter's mhz() finds it: good to some 0.1 %. */
static double rate_by_sleep(void)
{
	struct timespec nap = { 0, 50000000 };
	double ns = raw_ns();
	uint64_t ticks = etalon_ticks_start();

	nanosleep(&nap, NULL);
	ticks = etalon_ticks_stop() - ticks;
	return (double)ticks / (raw_ns() - ns) * 1e9;
}

static void rate(void)
{
	double hz = 0, again = 0, u = 0;
	int rc = etalon_ticks_rate(&hz, &u);

	if (rc == ETALON_BAD_CLOCK) {
		ok(isnan(hz) && isnan(u) && isnan(etalon_ticks_ns(1)),
			"rate: a counter that cannot be trusted has none");
		skip("the counter of this machine cannot be trusted");
		return;
	}
	ok(rc == ETALON_OK && u >= 0 && u < hz / 1000, "rate: %.6g Hz with an uncertainty of %.3g",
		hz, u);
	near(rate_by_sleep(), hz, 0.05, 0, "rate: a sleep shows the same");
	ok(etalon_ticks_rate(&again, NULL) == ETALON_OK && again == hz,
		"rate: it is measured once");
	near(etalon_ticks_ns(hz), 1e9, 1e-12, 0, "ticks: those of a second are 1e9 ns");
	near(etalon_ticks_ns(0), 0, 0, 0, "ticks: none take no time");
}

static void *in_thread(void *arg)
{
	etalon_ticks_rate(arg, NULL);
	return NULL;
}

static void threads(void)
{
	enum { THREADS = 4 };
	pthread_t list[THREADS];
	double hz, got[THREADS];
	int rc = etalon_ticks_rate(&hz, NULL), same = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&list[i], NULL, in_thread, &got[i]))
			tap_bail("pthread_create failed");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(list[i], NULL);
		same += rc ? isnan(got[i]) : fabs(got[i] - hz) < hz / 1000;
	}
	ok(same == THREADS, "rate: threads that ask at the same time get the same answer");
}

static void cost(void)
{
	double ticks = -1, u = -1, least = INFINITY;

	for (int i = 0; i < 1000; i++) {
		uint64_t t0 = etalon_ticks_start(), t1 = etalon_ticks_stop();

		least = fmin(least, (double)(t1 - t0));
	}
	int rc = etalon_ticks_cost(&ticks, &u);
	ok(rc == ETALON_OK && u > 0, "cost: %g +- %g ticks", ticks, u);
	/* Both are of empty pairs; the code around them differs. */
	ok(ticks >= 0.2 * least && ticks < 20 * least + 100, "cost: it is near the least of 1000");
	ok(etalon_ticks_cost(NULL, NULL) == ETALON_OK, "cost: both results are optional");
}

static void inactive(void)
{
	struct etalon_period list[100];
	struct etalon_inactivity x;
	double from = raw_ns(), sum = 0;
	int ordered = 1;

	int rc = etalon_inactive(0, 30e6, list, 100, &x);
	ok(rc == ETALON_OK, "inactive: 30 ms are observed");
	ok(x.clock == ETALON_CLOCK_COUNTER || x.clock == ETALON_CLOCK_RAW,
		"inactive: the clock is named");
	ok(x.threshold_ns >= 999 && x.elapsed_ns <= raw_ns() - from &&
			(x.periods >= 100 || x.elapsed_ns >= 29.99e6),
		"inactive: for as long as asked, threshold %.0f ns", x.threshold_ns);
	for (size_t i = 0; i < x.periods && i < 100; i++) {
		sum += list[i].end_ns - list[i].start_ns;
		ordered &= list[i].end_ns - list[i].start_ns >= 0.999 * x.threshold_ns &&
			   list[i].start_ns >= (i ? list[i - 1].end_ns : 0) &&
			   list[i].end_ns <= x.elapsed_ns;
	}
	ok(ordered, "inactive: %d periods in order, each above the threshold", (int)x.periods);
	near(x.inactive_ns, sum, 1e-9, 1, "inactive: their sum");
	ok(etalon_inactive(500, 5e9, list, 1, &x) == ETALON_OK && x.periods == 1 &&
			x.elapsed_ns < 5e9,
		"inactive: it waits for one period if there is room for one");
	ok(etalon_inactive(1000, 0, NULL, 0, NULL) == ETALON_OK,
		"inactive: nothing needs to be returned");
	ok(etalon_inactive(-1, 1, NULL, 0, NULL) == ETALON_BAD_DURATION &&
			etalon_inactive(NAN, 1, NULL, 0, NULL) == ETALON_BAD_DURATION &&
			etalon_inactive(1, INFINITY, NULL, 0, NULL) == ETALON_BAD_DURATION,
		"inactive: durations that are none are refused");
}

int main(void)
{
	rate();
	threads();
	cost();
	inactive();
	return tap_done();
}
