/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/timer.h"
#include "base/attr.h"
#include "num/rng.h"
#include "tap.h"

#include <errno.h>

enum { N = 4096 };
static const double hz = 2.5e9;

struct scene {
	double tick_ns, cost_ns; /* of every tick at least */
	double away_ns;          /* every tick takes the CPU away for so long */
	size_t ticks, noise;     /* other interrupts between two ticks */
};

/* Gaps as a spinning thread would see them, in order; jitter is a microsecond. */
static size_t play(const struct scene *s, struct et_rng *rng, struct et_gap *gaps)
{
	double now = 1e15; /* an old counter */
	size_t n = 0;

	for (size_t i = 0; i < s->ticks; i++) {
		double jitter = 1000 * et_rng_uniform(rng);

		for (size_t k = 0; k < s->noise; k++)
			gaps[n++] = (struct et_gap){
				(uint64_t)((now + s->tick_ns *
							   ((double)k + 0.3 +
								   0.4 * et_rng_uniform(rng)) /
							   (double)(s->noise + 1)) *
					   hz / 1e9),
				700,
			};
		now += s->tick_ns;
		gaps[n].start = (uint64_t)((now + jitter) * hz / 1e9);
		gaps[n++].length =
			(uint64_t)((s->away_ns + s->cost_ns * (1 + et_rng_uniform(rng))) * hz /
				   1e9);
		now += s->away_ns;
	}
	return n;
}

static void found(const struct scene *s, const char *what)
{
	struct et_rng rng;
	struct et_gap gaps[N];
	struct et_timer t = { 0 };

	et_rng_seed(&rng, 5, 0);
	size_t n = play(s, &rng, gaps);
	int rc = et_timer_find(gaps, n, hz, 0, &t);
	ok(rc == 0 && fabs(t.tick_ns / s->tick_ns - 1) < 1e-9, "%s: tick %g of %g", what, t.tick_ns,
		s->tick_ns);
	double lost = 0, long_gaps = 0;
	for (size_t i = 0; i + 1 < n; i++)
		*(s->away_ns > 0 ? &long_gaps : &lost) += (double)gaps[i].length;
	near(t.lost_ratio, lost / ((double)(gaps[n - 1].start - gaps[0].start) - long_gaps), 1e-9,
		1e-12, "%s: interrupts take %g of the time", what, t.lost_ratio);
	if (s->away_ns > 0) {
		ok(t.interrupts == 0 && t.cost_ns == 0, "%s: no cost where none was alone", what);
	} else {
		ok(t.interrupts >= s->ticks * 9 / 10, "%s: %zu of them", what, t.interrupts);
		ok(t.cost_ns >= s->cost_ns * 0.999 && t.cost_ns < s->cost_ns * 1.1,
			"%s: the smallest costs %g", what, t.cost_ns);
	}
}

static void simulated(void)
{
	struct et_gap gaps[N];
	struct et_timer t;
	struct et_rng rng;

	found(&(struct scene){ 4e6, 1500, 0, 200, 0 }, "250 Hz");
	found(&(struct scene){ 1e6, 900, 0, 300, 0 }, "1000 Hz");
	found(&(struct scene){ 1e7, 3000, 0, 120, 3 }, "100 Hz with other interrupts");
	found(&(struct scene){ 4e6, 1500, 36e6, 60, 0 }, "250 Hz, always preempted");
	ok(et_timer_find(gaps, 0, hz, 0, &t) == -ENOENT, "no gaps, no tick");

	/* A hypervisor's timer that is seen more surely than the kernel's own. */
	size_t n = 0;
	for (uint64_t ms = 0; ms < 400; ms++)
		if (ms % 10 == 1 || (ms % 4 == 0 && ms / 4 % 5 < 2))
			gaps[n++] = (struct et_gap){ (uint64_t)((double)ms * hz / 1e3), 100000 };
	ok(et_timer_find(gaps, n, hz, 4000000, &t) == 0 && fabs(t.tick_ns / 4e6 - 1) < 1e-9,
		"a tick that is told needs fewer");
	ok(et_timer_find(gaps, n, hz, 3000000, &t) == 0 && fabs(t.tick_ns / 1e7 - 1) < 1e-9,
		"but it needs to be there");

	et_rng_seed(&rng, 6, 0);
	uint64_t now = 0;
	for (size_t i = 0; i < 500; i++) {
		now += (uint64_t)(8e6 * et_rng_uniform(&rng) * hz / 1e9) + 5000;
		gaps[i] = (struct et_gap){ now, 4000 };
	}
	ok(et_timer_find(gaps, 500, hz, 0, &t) == -ENOENT, "random gaps are no tick");
}

static void real(void)
{
	struct et_counter c, none = { 0 };
	struct et_timer t = { 0 };

	ok(et_timer_measure(&none, 1000000, &t) == -EOPNOTSUPP, "no counter, no timer");
	et_counter_identify(&c);
	if (!c.name || et_counter_calibrate(&c, 50000000) != 0) {
		skip("no counter here");
		return;
	}
	int rc = et_timer_measure(&c, 2000000000, &t);
	if (rc == -ENOENT) {
		skip("no tick seen: a busy machine, or a CPU without one");
		return;
	}
	printf("# tick %g ns, cost %g ns, %zu seen, lost %g, rc %d\n", t.tick_ns, t.cost_ns,
		t.interrupts, t.lost_ratio, rc);
	near(t.tick_ns, (double)et_timer_told_ns(), 0.01, 0, "the tick is what the kernel tells");
	ok(t.cost_ns < 1e6, "an interrupt takes less than a millisecond");
	ok((rc == 0) == (t.interrupts >= ET_TIMER_INTERRUPTS), "and it says when it saw too few");
}

int main(void)
{
	simulated();
	real();
	return tap_done();
}
