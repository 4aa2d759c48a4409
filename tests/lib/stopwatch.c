/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked with libetalon.so alone, as a user's program is. */
#include "tap.h"

#include <etalon/etalon.h>
#include <time.h>

int main(void)
{
	struct etalon_stopwatch watch = { 0 };
	struct timespec nap = { 0, 5000000 };
	struct timespec before, after;

	is_str(etalon_version(), ET_VERSION, "the library's version is the header's");

	clock_gettime(CLOCK_MONOTONIC, &before);
	etalon_stopwatch_start(&watch);
	uint64_t at_once = etalon_stopwatch_ns(&watch);
	nanosleep(&nap, NULL);
	uint64_t later = etalon_stopwatch_ns(&watch);
	clock_gettime(CLOCK_MONOTONIC, &after);
	uint64_t around = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u +
			  (uint64_t)after.tv_nsec - (uint64_t)before.tv_nsec;

	ok(later - at_once >= 5000000, "it counts at least the time slept");
	ok(later <= around, "and no more than passed around it");
	ok(etalon_stopwatch_ns(&watch) >= later, "it goes on running");
	etalon_stopwatch_start(&watch);
	ok(etalon_stopwatch_ns(&watch) < around, "and starts again from zero");
	return tap_done();
}
