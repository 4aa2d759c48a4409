/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/ticks_met.h"
#include "base/clock.h"
#include "num/quantile.h"

#include <math.h>
#include <time.h>

enum { STEPS = 31, NEIGHBOURS = 2 };

/* A block this much longer than its neighbours was interrupted; see self_timed.c. */
static const double longer = 0.05;

/* The least of the blocks around i: its usual duration, unless all of them were interrupted. */
static double usual_at(const uint32_t *blocks, size_t n, size_t i)
{
	double least = INFINITY;

	for (size_t j = i < 4 ? 0 : i - 4; j < n && j <= i + 4; j++)
		least = fmin(least, blocks[j]);
	return least;
}

/* How much longer the blocks around i are together. The phase is not known to a block exactly. */
static double lengthening(const uint32_t *blocks, size_t n, size_t i)
{
	double usual = usual_at(blocks, n, i), sum = 0;

	for (size_t j = i < NEIGHBOURS ? 0 : i - NEIGHBOURS; j < n && j <= i + NEIGHBOURS; j++) {
		if (blocks[j] > (1 + longer) * usual)
			sum += blocks[j] - usual;
	}
	return sum;
}

struct et_ticks_met et_ticks_met_count(
	const uint32_t *blocks, size_t n, double since, double interval, double preempted)
{
	struct et_ticks_met out = { .least = INFINITY };
	double begin = 0, at;
	size_t i = n;

	if (!(interval > 0) || !(since >= 0))
		return out;
	/* Times count backwards from the end of the last block. */
	for (at = since; i > 0; at += interval) {
		while (i > 0 && begin + blocks[i - 1] <= at)
			begin += blocks[--i];
		if (i == 0 || blocks[i - 1] >= preempted)
			continue;
		out.met++;
		double more = lengthening(blocks, n, i - 1);
		if (more <= 0 || more >= preempted)
			continue;
		out.seen++;
		out.least = fmin(out.least, more);
	}
	return out;
}

struct et_tick_phase et_tick_phase_find(void)
{
	struct timespec step;
	struct et_tick_phase p = { 0 };
	double phases[STEPS], first = 0;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &step) || step.tv_sec || step.tv_nsec < 100000)
		return p;
	p.interval_ns = (double)step.tv_nsec;
	uint64_t last = et_clock_read_ns(CLOCK_MONOTONIC_COARSE), now,
		 end = et_clock_read_ns(CLOCK_MONOTONIC) + 2000000000;
	for (int i = 0; i < STEPS;) {
		uint64_t at = et_clock_read_ns(CLOCK_MONOTONIC);
		now = et_clock_read_ns(CLOCK_MONOTONIC_COARSE);
		if (at > end)
			return (struct et_tick_phase){ 0 };
		if (now == last)
			continue;
		last = now;
		double phase = fmod((double)at, p.interval_ns);
		/* As distances from the first one, so that they do not wrap around. */
		first = i ? first : phase;
		phases[i++] = remainder(phase - first, p.interval_ns);
	}
	et_sort(phases, STEPS);
	/* A step is noticed late if the thread was preempted, and never too early. */
	p.phase_ns = fmod(first + phases[STEPS / 4] + p.interval_ns, p.interval_ns);
	return p;
}

double et_tick_phase_since(const struct et_tick_phase *p, double now_ns)
{
	if (!(p->interval_ns > 0))
		return NAN;
	double since = fmod(now_ns - p->phase_ns, p->interval_ns);
	return since < 0 ? since + p->interval_ns : since;
}
