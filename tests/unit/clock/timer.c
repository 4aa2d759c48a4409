/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/timer.h"
#include "base/attr.h"
#include "base/clock.h"
#include "num/rng.h"
#include "tap.h"

#include <errno.h>

enum { N = 4096 };
static const double hz = 2.5e9;
static bool ticks[N];

struct scene {
	double tick_ns, cost_ns; /* the least cost of a tick */
	double away_ns;          /* for this long another thread runs after every tick */
	size_t ticks, noise;     /* noise: other interrupts between two ticks */
};

static struct et_gap gap(double at_ns, double length_ns)
{
	uint64_t start = (uint64_t)(at_ns * hz / 1e9);

	return (struct et_gap){ start, start + (uint64_t)(length_ns * hz / 1e9) };
}

/* Makes the gaps that a spinning thread would see, in order; the jitter is a microsecond. */
static size_t play(const struct scene *s, struct et_rng *rng, struct et_gap *gaps)
{
	double now = 1e12; /* the counter has run for long */
	size_t n = 0;

	for (size_t i = 0; i < s->ticks; i++) {
		for (size_t k = 0; k < s->noise; k++) {
			double at = ((double)k + 0.3 + 0.4 * et_rng_uniform(rng)) /
				    (double)(s->noise + 1);
			gaps[n++] = gap(now + s->tick_ns * at, 280);
		}
		now += s->tick_ns;
		gaps[n++] = gap(now + 1000 * et_rng_uniform(rng),
			s->away_ns + s->cost_ns * (1 + et_rng_uniform(rng)));
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
	int rc = et_timer_find(gaps, n, hz, 0, ticks, &t);
	ok(rc == 0 && fabs(t.tick_ns / s->tick_ns - 1) < 1e-4 && t.found_ns == t.tick_ns,
		"%s: tick %g of %g, without help from the kernel", what, t.tick_ns, s->tick_ns);
	ok(t.interrupts >= s->ticks * 9 / 10, "%s: %zu timer interrupts", what, t.interrupts);
	ok(t.cost_ns >= s->cost_ns * 0.999 && t.cost_ns < s->cost_ns * 1.1,
		"%s: the smallest cost is %g", what, t.cost_ns);
}

/* Three other threads share the CPU: every tick preempts us, and we see every fourth tick. */
static void shared(void)
{
	struct et_gap gaps[N];
	struct et_timer t;
	struct et_rng rng;

	et_rng_seed(&rng, 8, 0);
	size_t n = play(&(struct scene){ 4e6, 1500, 12e6, 60, 0 }, &rng, gaps);
	ok(et_timer_find(gaps, n, hz, 4000000, ticks, &t) == 0 && t.tick_ns == 4e6,
		"shared CPU: the tick is that of the kernel");
	near(t.found_ns, 16e6, 1e-4, 0, "shared CPU: the interval found by regularity is reported");
	ok(t.interrupts == 0 && t.cost_ns == 0, "shared CPU: no cost if every tick preempts");
}

static void simulated(void)
{
	struct et_gap gaps[N];
	struct et_timer t;
	struct et_rng rng;

	found(&(struct scene){ 4e6, 1500, 0, 200, 0 }, "250 Hz");
	found(&(struct scene){ 1e6, 900, 0, 300, 0 }, "1000 Hz");
	found(&(struct scene){ 1e7, 3000, 0, 120, 3 }, "100 Hz with other interrupts");
	shared();
	ok(et_timer_find(gaps, 0, hz, 4000000, ticks, &t) == -ENOENT,
		"without gaps there is no tick");

	/* The timer of a hypervisor, which is more regular than that of the kernel. */
	size_t n = 0;
	for (uint64_t ms = 0; ms < 400; ms++)
		if (ms % 10 == 1 || (ms % 4 == 0 && ms / 4 % 5 < 2))
			gaps[n++] = gap((double)ms * 1e6, 40000);
	ok(et_timer_find(gaps, n, hz, 4000000, ticks, &t) == 0 && t.tick_ns == 4e6 &&
			fabs(t.found_ns / 1e7 - 1) < 1e-9,
		"hypervisor: the tick of the kernel needs fewer gaps");
	ok(et_timer_find(gaps, n, hz, 3000000, ticks, &t) == -ENOENT && t.tick_ns == 0 &&
			fabs(t.found_ns / 1e7 - 1) < 1e-9,
		"hypervisor: another timer's interrupts are not taken for the kernel's tick");

	et_rng_seed(&rng, 6, 0);
	double now = 0;
	for (size_t i = 0; i < 500; i++) {
		now += 8e6 * et_rng_uniform(&rng) + 2000;
		gaps[i] = gap(now, 1600);
	}
	ok(et_timer_find(gaps, 500, hz, 0, ticks, &t) == -ENOENT, "random gaps: no tick is found");
	ok(et_timer_find(gaps, 500, hz, 4000000, ticks, &t) == -ENOENT,
		"random gaps: no tick is found although the kernel reports one");
}

static bool never(void *ctx)
{
	++*(int *)ctx;
	return false;
}

static void real(void)
{
	struct et_counter c, none = { 0 };
	struct et_timer t = { 0 };
	struct et_pulse stop = { .beat = never };
	int beats = 0;
	double told = (double)et_clock_tick_ns();

	stop.ctx = &beats;
	uint64_t begin_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	int rc = et_timer_measure(&none, 3600000000000, &stop, &t);
	ok(rc == 0 || beats == 1, "real timer: without a counter, until the pulse ends it");
	ok(et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns < 60000000000,
		"real timer: the pulse ends it in time");
	et_counter_identify(&c);
	if (!c.name || et_counter_calibrate(&c, 50000000) != 0) {
		skip("this processor has no usable counter");
		return;
	}
	rc = et_timer_measure(&c, 2000000000, NULL, &t);
	if (rc == -ENOENT) {
		skip("no tick was found: the machine is busy, or the CPU has none");
		return;
	}
	printf("# tick %g ns, found %g ns, cost %g ns, %zu seen, rc %d\n", t.tick_ns, t.found_ns,
		t.cost_ns, t.interrupts, rc);
	near(t.tick_ns, told, 0.01, 0, "real timer: the tick is that of the kernel");
	ok(t.cost_ns < 1e6, "real timer: an interrupt takes less than a millisecond");
	ok((rc == 0) == (t.interrupts >= ET_TIMER_INTERRUPTS),
		"real timer: too few interrupts are reported");
}

int main(void)
{
	simulated();
	real();
	return tap_done();
}
