/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/periods.h"
#include "num/rng.h"

#include <assert.h>
#include <math.h>

/* Keeps the numbers apart from those that the schedule draws from the same seed. */
static const uint64_t STREAM = UINT64_C(0x70726f66696c6500);

static uint64_t whole(double period)
{
	return period < 1 ? 1 : (uint64_t)llround(period);
}

/*
 * A single event cannot keep the rate and vary the period. It varies little, because the counts of
 * runs are compared with each other.
 */
static void draw_one(struct et_rng *rng, double mean, bool fixed, struct et_periods *out)
{
	double w = fixed ? 1 : 0.9 + 0.2 * et_rng_uniform(rng);

	out->period[0] = whole(w * mean);
}

void et_periods_draw(
	uint64_t seed, uint64_t run, double mean, size_t n, bool fixed, struct et_periods *out)
{
	double w[ET_MOST_EVENTS], sum = 0;
	struct et_rng rng;

	assert(n >= 1 && n <= ET_MOST_EVENTS && (n == 1 || !fixed));
	et_rng_seed(&rng, seed ^ STREAM, run);
	*out = (struct et_periods){ .n = n };
	for (size_t i = 0; i < n; i++) {
		w[i] = 0.5 + et_rng_uniform(&rng);
		sum += 1 / w[i];
	}
	for (size_t i = 0; i < n; i++)
		out->period[i] = whole(w[i] * mean * sum);
	if (n == 1)
		draw_one(&rng, mean, fixed, out);
	for (size_t i = 0; i < n; i++)
		out->passed[i] = et_rng_uniform(&rng);
}

size_t et_periods_events(double mean_ns)
{
	const double most_ns = 1e8;
	double n = most_ns / mean_ns;

	return n < 1 ? 1 : n > ET_MOST_EVENTS ? ET_MOST_EVENTS : (size_t)n;
}

double et_periods_mean(const struct et_periods *p)
{
	double rate = 0;

	for (size_t i = 0; i < p->n; i++)
		rate += 1 / (double)p->period[i];
	return 1 / rate;
}

uint64_t et_periods_due(uint64_t counted, uint64_t period)
{
	return counted / period;
}

uint64_t et_periods_overruns(uint64_t due, uint64_t taken, uint64_t lost)
{
	return taken + lost < due ? due - taken - lost : 0;
}
