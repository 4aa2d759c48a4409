/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/self_timed.h"
#include "base/alloc.h"
#include "clock/counter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHAIN = 1000, /* rounds of 8 multiplications: about 8 us */
	SIDE = 15,    /* neighbours on each side that a block is compared with */
	WINDOW = 2 * SIDE + 1,
};
/*
 * Undisturbed blocks are within 3 % of the median of their neighbours; the shortest interrupts take
 * about a microsecond, an eighth of a block.
 */
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

/* The time of a call by the counter, including interruptions. */
static double counted(const struct et_self_timed *f, size_t call)
{
	const uint32_t *ticks = f->ticks + call * f->blocks;
	double sum = 0;

	for (size_t i = 0; i < f->blocks; i++)
		sum += ticks[i];
	return sum;
}

double et_self_timed_shortest(const struct et_self_timed *f)
{
	double least = INFINITY;
	size_t shortest = 0;

	for (size_t i = 0; i < f->calls; i++) {
		double sum = counted(f, i);
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
	double block;

	et_self_timed_init(&f, TRIALS, 1);
	et_self_timed_call(&f);
	block = et_self_timed_shortest(&f) / TRIALS;
	et_self_timed_free(&f);
	return block;
}
