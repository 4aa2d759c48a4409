/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/counter.h"
#include "base/clock.h"
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
	/* Leaf 80000007h, EDX bit 8: invariant TSC. */
	c->invariant = __get_cpuid(0x80000007, &a, &b, &cx, &d) && (d & 1u << 8);
#elif defined(__aarch64__)
	c->name = "cntvct";
	c->invariant = true; /* by the architecture */
#endif
}

struct pair {
	uint64_t counter, ns;
};

/* The tightest of a few: the clock was read within the fewest ticks of the counter. */
static struct pair read_pair(void)
{
	struct pair best = { 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t a = et_counter_start();
		uint64_t ns = et_clock_read_ns(CLOCK_MONOTONIC_RAW);
		uint64_t b = et_counter_stop();
		if (b - a >= width)
			continue;
		width = b - a;
		best = (struct pair){ a + width / 2, ns };
	}
	return best;
}

int et_counter_calibrate(struct et_counter *c, uint64_t duration_ns)
{
	enum { PAIRS = 32 };
	struct pair first, p;
	double x[PAIRS], y[PAIRS];
	struct et_line line;
	uint64_t last = 0;

	if (!c->name)
		return -EOPNOTSUPP;
	first = read_pair();
	for (int i = 0; i < PAIRS; i++) {
		uint64_t due = first.ns + duration_ns * (uint64_t)(i + 1) / PAIRS;
		struct timespec nap = { 0, 0 };
		uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC_RAW);
		if (due > now)
			nap = (struct timespec){ (time_t)((due - now) / 1000000000),
				(long)((due - now) % 1000000000) };
		nanosleep(&nap, NULL);
		p = read_pair();
		if (p.counter <= first.counter || p.counter < last || p.ns <= first.ns)
			return -ERANGE;
		last = p.counter;
		x[i] = (double)(p.ns - first.ns);
		y[i] = (double)(p.counter - first.counter);
	}
	et_line_fit(x, y, PAIRS, &line);
	c->hz = line.slope * 1e9;
	c->hz_uncertainty = line.slope_error * 1e9;
	return 0;
}
