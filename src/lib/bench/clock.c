/* SPDX-License-Identifier: MIT */
#include "lib/bench/clock.h"

#include <etalon/etalon.h>

enum { CALIBRATE_NS = 50000000 };

int et_bench_clock_choose(int wanted, struct et_bench_clock *out)
{
	struct et_counter counter;
	struct et_bench_clock c = { .clock = ETALON_CLOCK_RAW, .hz = 1e9 };

	et_counter_identify(&counter);
	if (wanted == ETALON_CLOCK_RAW || !counter.name) {
		/* No other clock is needed, or there is none. */
	} else if (!counter.invariant) {
		c.warnings |= ETALON_WARNING_NOT_INVARIANT;
	} else if (et_timebase_counter_backwards() ||
		   et_counter_calibrate(&counter, CALIBRATE_NS)) {
		c.warnings |= ETALON_WARNING_BACKWARDS;
	} else {
		c.clock = ETALON_CLOCK_COUNTER;
		c.hz = counter.hz;
		c.hz_uncertainty = counter.hz_uncertainty;
	}
	if (wanted == ETALON_CLOCK_COUNTER && c.clock != ETALON_CLOCK_COUNTER)
		return ETALON_BAD_CLOCK;
	*out = c;
	return ETALON_OK;
}

void et_bench_clock_timebase(const struct et_bench_clock *c, struct et_timebase *out)
{
	struct et_counter counter;

	et_counter_identify(&counter);
	if (c->clock == ETALON_CLOCK_COUNTER && counter.name) {
		counter.hz = c->hz;
		counter.hz_uncertainty = c->hz_uncertainty;
		et_timebase_counter(out, &counter);
	} else {
		et_timebase_raw(out);
	}
	out->warnings = c->warnings;
	et_timebase_calibrate(out);
}
