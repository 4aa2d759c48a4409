/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ticks are found among other gaps; the script that makes the gaps knows which are ticks. */
#include "clock/ticks.h"
#include "base/base.h"
#include "num/rng.h"
#include "tap.h"

#include <errno.h>

enum { MOST = 40000 };

struct scene {
	struct et_gap gaps[MOST];
	bool is_tick[MOST], found[MOST];
	size_t n, ticks;
};

static uint64_t uniform(struct et_rng *rng, double lo, double hi)
{
	return (uint64_t)(lo + (hi - lo) * et_rng_uniform(rng));
}

static void put(struct scene *s, uint64_t start, uint64_t length, bool tick)
{
	/* Gaps must not overlap. */
	if (s->n && start <= s->gaps[s->n - 1].end)
		return;
	s->gaps[s->n] = (struct et_gap){ start, start + length };
	s->is_tick[s->n++] = tick;
	s->ticks += tick;
}

/* Ticks every interval with some jitter, and others at random between them. */
static void make(struct scene *s, struct et_rng *rng, size_t places, double interval, double others)
{
	uint64_t begin = uniform(rng, 1e15, 2e15);

	s->n = s->ticks = 0;
	for (size_t k = 0; k < places; k++) {
		double at = (double)begin + (double)k * interval;
		put(s, (uint64_t)at + uniform(rng, 0, 500), uniform(rng, 9000, 40000), true);
		double next = at + uniform(rng, 0, 2 * interval / (others + 1e-9));
		while (next < at + interval - 1000) {
			put(s, (uint64_t)next, uniform(rng, 1000, 5000), false);
			next += uniform(rng, 0, 2 * interval / others);
		}
	}
}

static bool exact(const struct scene *s, double share)
{
	size_t wrong = 0;

	for (size_t i = 0; i < s->n; i++)
		wrong += s->is_tick[i] != s->found[i];
	return (double)wrong <= share * (double)s->ticks;
}

int main(void)
{
	static const double intervals[] = { 1e6, 10e6 / 3, 4e6, 10e6 };
	static struct scene s;
	struct et_rng rng;
	struct et_tick_fit t;

	et_rng_seed(&rng, 7, 0);
	for (size_t i = 0; i < ET_LENGTH(intervals); i++) {
		for (double others = 0; others <= 20; others += 10) {
			make(&s, &rng, 800, intervals[i], others);
			int rc = et_ticks_find(s.gaps, s.n, 1e9, 0, s.found, &t);
			ok(rc == 0 && fabs(t.interval - intervals[i]) < 5 * t.uncertainty + 1,
				"ticks every %g ns among %g others: %.1f ± %.1f", intervals[i],
				others, t.interval, t.uncertainty);
			ok(exact(&s, others > 0 ? 0.05 : 0),
				"ticks every %g ns among %g others: the right gaps", intervals[i],
				others);
			/* The others may reach one place beyond the last tick. */
			size_t places = t.n + t.covered;
			ok(t.missed == 0 && places >= 800 && places <= 801,
				"ticks every %g ns among %g others: none is missed", intervals[i],
				others);
		}
	}
	/* A rate of the counter that is wrong by 2 % does not matter. */
	ok(et_ticks_find(s.gaps, s.n, 1.02e9, 0, NULL, &t) == 0 && fabs(t.interval - 10e6) < 10,
		"ticks are found although the rate is wrong by 2 %%");

	/* Another thread has the CPU for every second interval. */
	s.n = s.ticks = 0;
	for (uint64_t k = 0; k < 100; k += 2)
		put(&s, 5000000 + 4000000 * k, 4020000, true);
	ok(et_ticks_find(s.gaps, s.n, 1e9, 0, s.found, &t) == 0, "shared CPU: ticks are found");
	/* Only every second tick can be seen so far, so 8 ms fits as well as 4 ms. */
	put(&s, 5000000 + 4000000 * 101, 10000, true);
	put(&s, 5000000 + 4000000 * 102, 10000, true);
	put(&s, 5000000 + 4000000 * 103, 10000, true);
	ok(et_ticks_find(s.gaps, s.n, 1e9, 0, s.found, &t) == 0 && fabs(t.interval - 4e6) < 1 &&
			t.covered == 50,
		"shared CPU: successive ticks give the interval: %.1f", t.interval);

	/* Gaps that are regular at the beginning only are not the timer. */
	s.n = s.ticks = 0;
	for (uint64_t k = 0; k < 8; k++)
		put(&s, 1000000 + 1500000 * k, 2000, false);
	for (double at = 13e6; s.n < 3000; at += (double)uniform(&rng, 1e4, 1e6))
		put(&s, (uint64_t)at, 2000, false);
	ok(et_ticks_find(s.gaps, s.n, 1e9, 0, s.found, &t) == -ENOENT && !s.found[0] && !s.found[7],
		"a few regular gaps at the beginning are no ticks");

	s.n = 0;
	for (double at = 0; s.n < 5000; at += (double)uniform(&rng, 1e4, 1e6))
		put(&s, (uint64_t)at, 2000, false);
	ok(et_ticks_find(s.gaps, s.n, 1e9, 0, s.found, &t) == -ENOENT, "random gaps are no ticks");
	ok(et_ticks_find(s.gaps, 0, 1e9, 0, s.found, &t) == -ENOENT,
		"without gaps no tick is found");
	ok(et_ticks_find(s.gaps, 1, 1e9, 0, s.found, &t) == -ENOENT, "one gap is no tick");
	s.n = 0;
	for (uint64_t k = 0; k < 3; k++)
		put(&s, 1000000 + k * 4000000, 5000, true);
	ok(et_ticks_find(s.gaps, s.n, 1e9, 0, s.found, &t) == -ENOENT,
		"three regular gaps are not enough");
	return tap_done();
}
