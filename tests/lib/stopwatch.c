/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stopwatch, linked with libetalon.so only, as a user's program is. */
#include "tap.h"

#include <etalon/etalon.h>
#include <time.h>

int main(void)
{
	struct etalon_stopwatch watch = { 0 };
	struct timespec nap = { 0, 5000000 };
	struct timespec before, after;

	is_str(etalon_version(), ET_VERSION, "the version of the library is that of the project");

	clock_gettime(CLOCK_MONOTONIC, &before);
	etalon_stopwatch_start(&watch);
	uint64_t at_once = etalon_stopwatch_ns(&watch);
	nanosleep(&nap, NULL);
	uint64_t later = etalon_stopwatch_ns(&watch);
	clock_gettime(CLOCK_MONOTONIC, &after);
	uint64_t around = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u +
			  (uint64_t)after.tv_nsec - (uint64_t)before.tv_nsec;

	ok(later - at_once >= 5000000, "the stopwatch shows at least the time slept");
	ok(later <= around, "the stopwatch shows no more than CLOCK_MONOTONIC");
	ok(etalon_stopwatch_ns(&watch) >= later, "the stopwatch keeps running after a reading");
	etalon_stopwatch_start(&watch);
	ok(etalon_stopwatch_ns(&watch) < around, "the stopwatch restarts from zero");
	return tap_done();
}
