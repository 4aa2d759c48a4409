/* SPDX-License-Identifier: MIT */
#include "clock/counter.h"
#include "base/clock.h"
#include "clock/anchor.h"
#include "num/line.h"

#include <errno.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

void et_counter_identify(struct et_counter *c)
{
	memset(c, 0, sizeof(*c));
#if defined(__x86_64__)
	unsigned a, b, cx, d;

	c->name = "tsc";
	/* CPUID leaf 80000007h, EDX bit 8: invariant TSC. */
	c->invariant = __get_cpuid(0x80000007, &a, &b, &cx, &d) && (d & 1u << 8);
#elif defined(__aarch64__)
	c->name = "cntvct";
	c->invariant = true; /* the architecture guarantees it */
#endif
}

static uint64_t read_counter(void *ctx)
{
	(void)ctx;
	return et_counter_start();
}

int et_counter_calibrate(struct et_counter *c, uint64_t duration_ns)
{
	enum { PAIRS = 32 };
	struct et_anchor first, p;
	double x[PAIRS], y[PAIRS];
	struct et_line line;
	uint64_t last = 0;

	if (!c->name)
		return -EOPNOTSUPP;
	first = et_anchor_take(read_counter, NULL, CLOCK_MONOTONIC_RAW);
	for (int i = 0; i < PAIRS; i++) {
		et_clock_sleep_until(
			CLOCK_MONOTONIC_RAW, first.ns + duration_ns * (uint64_t)(i + 1) / PAIRS);
		p = et_anchor_take(read_counter, NULL, CLOCK_MONOTONIC_RAW);
		if (p.reading <= first.reading || p.reading < last || p.ns <= first.ns)
			return -ERANGE;
		last = p.reading;
		x[i] = (double)(p.ns - first.ns);
		y[i] = (double)(p.reading - first.reading);
	}
	et_line_fit(x, y, PAIRS, &line);
	c->hz = line.slope * 1e9;
	c->hz_uncertainty = line.slope_error * 1e9;
	return 0;
}
