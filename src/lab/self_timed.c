/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/self_timed.h"
#include "base/clock.h"
#include "clock/counter.h"
#include "num/quantile.h"

#include <time.h>

enum {
	CHAIN = 1000, /* rounds of 8 multiplications: about 8 us */
	SIDE = 15,    /* neighbours on each side that a block is compared with */
	WINDOW = 2 * SIDE + 1,
};
/* Undisturbed blocks are within 3 % of the median; an interrupt takes an eighth of a block. */
static const double disturbed = 1.05;

uint64_t et_self_timed_chain(uint64_t x)
{
	for (int i = 0; i < CHAIN; i++) {
		for (int j = 0; j < 8; j++) {
			x *= 0x9e3779b97f4a7c15; /* an odd factor never makes x 0 */
			__asm__ volatile("" : "+r"(x));
		}
	}
	return x;
}

void et_self_timed_init(struct et_self_timed *f, size_t blocks, size_t capacity)
{
	*f = (struct et_self_timed){ .blocks = blocks, .capacity = capacity, .value = 1 };
	f->ticks = et_calloc(blocks * capacity, sizeof(*f->ticks));
	memset(f->ticks, 0xff, blocks * capacity * sizeof(*f->ticks));
}

void et_self_timed_free(struct et_self_timed *f)
{
	free(f->ticks);
	*f = (struct et_self_timed){ 0 };
}

void et_self_timed_call(void *ctx)
{
	struct et_self_timed *f = ctx;
	uint32_t unnoted, *ticks = f->calls < f->capacity ? f->ticks + f->calls * f->blocks : NULL;
	uint64_t last = et_counter_read();

	for (size_t i = 0; i < f->blocks; i++) {
		if (f->cancelled && *f->cancelled)
			return;
		f->value = et_self_timed_chain(f->value);
		uint64_t now = et_counter_read();
		*(ticks ? &ticks[i] : &unnoted) =
			now - last < UINT32_MAX ? (uint32_t)(now - last) : UINT32_MAX;
		last = now;
	}
	f->calls += ticks != NULL;
}

/* Replaces one value of a sorted window of n values by another. */
static void replace(uint32_t *sorted, size_t n, uint32_t old, uint32_t new)
{
	size_t at = 0;

	while (sorted[at] != old)
		at++;
	for (; at + 1 < n && sorted[at + 1] < new; at++)
		sorted[at] = sorted[at + 1];
	for (; at > 0 && sorted[at - 1] > new; at--)
		sorted[at] = sorted[at - 1];
	sorted[at] = new;
}

double et_undisturbed_sum(const uint32_t *ticks, size_t n, double limit)
{
	size_t width = n < WINDOW ? n : WINDOW, from = 0;
	uint32_t sorted[WINDOW] = { 0 };
	double sum = 0;

	/* A window of zeros is sorted, so the values can replace them one by one. */
	for (size_t i = 0; i < width; i++)
		replace(sorted, width, 0, ticks[i]);
	for (size_t i = 0; i < n; i++) {
		if (i > SIDE && from + width < n) {
			replace(sorted, width, ticks[from], ticks[from + width]);
			from++;
		}
		double median = sorted[width / 2];
		sum += ticks[i] > limit * median ? median : ticks[i];
	}
	return sum;
}

double et_self_timed_truth(const struct et_self_timed *f, size_t call)
{
	return et_undisturbed_sum(f->ticks + call * f->blocks, f->blocks, disturbed);
}

double et_self_timed_shortest(const struct et_self_timed *f)
{
	double least = INFINITY;
	size_t shortest = 0;

	for (size_t i = 0; i < f->calls; i++) {
		double sum = 0; /* the time of the call by the counter, including interruptions */
		for (size_t k = 0; k < f->blocks; k++)
			sum += f->ticks[i * f->blocks + k];
		if (sum < least) {
			least = sum;
			shortest = i;
		}
	}
	return f->calls ? et_self_timed_truth(f, shortest) : NAN;
}

double et_self_timed_block(void)
{
	enum { TRIALS = 200 };
	struct et_self_timed f;

	et_self_timed_init(&f, TRIALS, 1);
	et_self_timed_call(&f);
	double block = et_self_timed_shortest(&f) / TRIALS;
	et_self_timed_free(&f);
	return block;
}

/* --- ticks met --- */

enum { STEPS = 31, NEIGHBOURS = 2 };

/* A block this much longer than its neighbours was interrupted; see self_timed.c. */
static const double longer = 0.05;

/* How much longer the blocks around i are together. The phase is not known to a block exactly. */
static double lengthening(const uint32_t *blocks, size_t n, size_t i)
{
	double usual = INFINITY, sum = 0;

	/* The least around i is the usual duration, unless all of them were interrupted. */
	for (size_t j = i < 4 ? 0 : i - 4; j < n && j <= i + 4; j++)
		usual = fmin(usual, blocks[j]);
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
