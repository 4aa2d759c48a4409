/* SPDX-License-Identifier: MIT */
/* The clock of a benchmark program: chosen and calibrated once, used by all its processes. */
#pragma once

#include "lib/time/timebase.h"

struct et_bench_clock {
	int clock; /* ETALON_CLOCK_COUNTER or ETALON_CLOCK_RAW */
	double hz, hz_uncertainty;
	unsigned warnings; /* why it is not the counter */
};

/*
 * Chooses the clock; wanted is an enum etalon_kbest_clock. Takes a twentieth of a second. Returns
 * an etalon_status.
 */
int et_bench_clock_choose(int wanted, struct et_bench_clock *out);
/* Makes a calibrated timebase of it, in the thread that shall use it. */
void et_bench_clock_timebase(const struct et_bench_clock *c, struct et_timebase *out);
