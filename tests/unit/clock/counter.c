/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/counter.h"
#include "base/clock.h"
#include "tap.h"

#include <errno.h>
#include <math.h>

int main(void)
{
	struct et_counter c, none = { 0 };

	ok(et_counter_calibrate(&none, 1000000) == -EOPNOTSUPP,
		"calibrate: without a counter it fails");
	et_counter_identify(&c);
	if (!c.name) {
		skip("this processor has no counter that we can read");
		return tap_done();
	}
	ok(c.hz == 0, "identify: the rate is unknown before calibration");
	int rc = et_counter_calibrate(&c, 50000000);
	ok(rc == 0 && c.hz > 1e6 && c.hz < 1e11,
		"calibrate: the rate is between 1 MHz and 100 GHz");
	ok(c.hz_uncertainty >= 0 && c.hz_uncertainty < c.hz * 1e-3,
		"calibrate: the uncertainty is below a thousandth");
	/* Compare with the increase over a long interval. */
	uint64_t n0 = et_clock_read_ns(CLOCK_MONOTONIC_RAW), c0 = et_counter_start();
	struct timespec nap = { 0, 200000000 };
	nanosleep(&nap, NULL);
	uint64_t n1 = et_clock_read_ns(CLOCK_MONOTONIC_RAW), c1 = et_counter_stop();
	double plain = (double)(c1 - c0) / (double)(n1 - n0) * 1e9;
	ok(fabs(plain / c.hz - 1) < 0.01, "calibrate: a long sleep gives the same rate: %g and %g",
		plain, c.hz);
	uint64_t a = et_counter_start(), b = et_counter_read(), d = et_counter_stop();
	ok(a <= b && b <= d, "counter: three readings do not go backwards");
	return tap_done();
}
