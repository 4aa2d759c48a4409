/* SPDX-License-Identifier: MIT */
#include "clock/counter.h"
#include "base/clock.h"
#include "num/line.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { ATTEMPTS = 8 };

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

struct et_anchor et_anchor_take(uint64_t (*read)(void *ctx), void *ctx, clockid_t clock)
{
	struct et_anchor best = { 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < ATTEMPTS; i++) {
		uint64_t before = read(ctx);
		uint64_t ns = et_clock_read_ns(clock);
		uint64_t after = read(ctx);

		if (after - before >= width)
			continue;
		width = after - before;
		best = (struct et_anchor){ before + width / 2, ns };
	}
	return best;
}

uint64_t et_anchor_ns(const struct et_anchor *from, const struct et_anchor *to, uint64_t reading)
{
	double ticks = (double)(to->reading - from->reading), ns = (double)(to->ns - from->ns);
	double off = reading >= from->reading ? (double)(reading - from->reading)
					      : -(double)(from->reading - reading);
	double at = ticks > 0 ? off * ns / ticks : 0;

	if (at < 0 && -at > (double)from->ns)
		return 0;
	return at < 0 ? from->ns - (uint64_t)-at : from->ns + (uint64_t)at;
}
