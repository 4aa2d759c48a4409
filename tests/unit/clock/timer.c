/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/timer.h"
#include "base/base.h"
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

static int find(const struct et_gap *gaps, size_t n, uint64_t kernel_ns, struct et_timer *out)
{
	const struct et_timer_series s = {
		.gaps = gaps, .n = n, .hz = hz, .kernel_ns = kernel_ns, .tick_reading = NAN
	};

	return et_timer_find(&s, ticks, out);
}

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
	int rc = find(gaps, n, 0, &t);
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
	ok(find(gaps, n, 4000000, &t) == 0 && t.tick_ns == 4e6,
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
	ok(find(gaps, 0, 4000000, &t) == -ENOENT, "without gaps there is no tick");

	/* The timer of a hypervisor, which is more regular than that of the kernel. */
	size_t n = 0;
	for (uint64_t ms = 0; ms < 400; ms++)
		if (ms % 10 == 1 || (ms % 4 == 0 && ms / 4 % 5 < 2))
			gaps[n++] = gap((double)ms * 1e6, 40000);
	ok(find(gaps, n, 4000000, &t) == 0 && t.tick_ns == 4e6 && fabs(t.found_ns / 1e7 - 1) < 1e-9,
		"hypervisor: the tick of the kernel needs fewer gaps");
	ok(find(gaps, n, 3000000, &t) == -ENOENT && t.tick_ns == 0 &&
			fabs(t.found_ns / 1e7 - 1) < 1e-9,
		"hypervisor: another timer's interrupts are not taken for the kernel's tick");

	et_rng_seed(&rng, 6, 0);
	double now = 0;
	for (size_t i = 0; i < 500; i++) {
		now += 8e6 * et_rng_uniform(&rng) + 2000;
		gaps[i] = gap(now, 1600);
	}
	ok(find(gaps, 500, 0, &t) == -ENOENT, "random gaps: no tick is found");
	ok(find(gaps, 500, 4000000, &t) == -ENOENT,
		"random gaps: no tick is found although the kernel reports one");
}

/*
 * The machine on which a cost of 300 ns was once reported: ticks of 4 ms that cost 13 µs, gaps of a
 * hypervisor every millisecond that cost 10 µs, and stray gaps of 300 ns, one of them where a tick
 * is expected. After every fourth tick another thread runs, if `busy`.
 */
struct guest {
	struct et_gap gaps[N];
	uint64_t coarse_ns[N];
	size_t n;
};

static void add_gap(struct guest *g, double at_ns, double length_ns, bool tick)
{
	uint64_t last = g->n ? g->coarse_ns[g->n - 1] : 5000000;

	g->gaps[g->n] = gap(at_ns, length_ns);
	g->coarse_ns[g->n++] = last + (tick ? 4000000 : 0);
}

static void play_guest(struct guest *g, struct et_rng *rng, bool busy)
{
	g->n = 0;
	for (size_t ms = 0; ms < 900; ms++) {
		double at = 1e9 + (double)ms * 1e6;
		bool tick = ms % 4 == 2;
		bool away = busy && ms % 16 == 2;
		if (busy && ms % 16 > 2 && ms % 16 <= 6)
			continue; /* the thread is not running */
		add_gap(g, at + 500 * et_rng_uniform(rng), 9500 + 2000 * et_rng_uniform(rng),
			busy && ms % 16 == 7);
		if (ms % 5 == 0)
			add_gap(g, at + 60e3, 310, false);
		/* A tick that another gap hides: only the stray is seen at its place. */
		if (tick && ms % 100 == 98)
			add_gap(g, at + 130e3, 300, true);
		else if (tick)
			add_gap(g, at + 130e3 + 500 * et_rng_uniform(rng),
				12800 + 1500 * et_rng_uniform(rng) + (away ? 4e6 : 0), true);
	}
}

static void guests(void)
{
	static struct guest g;
	struct et_rng rng;
	struct et_timer t;

	et_rng_seed(&rng, 11, 0);
	for (int busy = 0; busy < 2; busy++) {
		play_guest(&g, &rng, busy);
		struct et_timer_series s = { .gaps = g.gaps,
			.n = g.n,
			.hz = hz,
			.kernel_ns = 4000000,
			.tick_reading = NAN,
			.coarse_ns = g.coarse_ns };
		const char *load = busy ? "shared CPU" : "free CPU";

		ok(et_timer_find(&s, ticks, &t) == 0 && t.source == ET_TIMER_COARSE &&
				t.candidates == 1,
			"guest, %s: the coarse clock tells the ticks from the hypervisor's gaps",
			load);
		ok(t.cost_ns > 12700 && t.cost_ns < 13100,
			"guest, %s: a stray gap of 300 ns is not the smallest cost (%g)", load,
			t.cost_ns);
		ok(t.cost.median > 13300 && t.cost.median < 13900 && t.doubt_lo_ns > 12800 &&
				t.doubt_hi_ns < 14300,
			"guest, %s: median %g, doubt from %g to %g", load, t.cost.median,
			t.doubt_lo_ns, t.doubt_hi_ns);

		s.coarse_ns = NULL;
		/* The record of an interrupt is written 5 µs after the gap began. */
		s.tick_reading = (1e9 + 10e6 + 135e3) * hz / 1e9;
		ok(et_timer_find(&s, ticks, &t) == 0 && t.source == ET_TIMER_RECORDS &&
				t.cost.median > 13300 && t.cost.median < 13900,
			"guest, %s: one record is enough to find the phase (%g)", load,
			t.cost.median);

		/* By regularity alone each of the four phases of the hypervisor is possible. */
		s.tick_reading = NAN;
		ok(et_timer_find(&s, ticks, &t) == 0 && t.source == ET_TIMER_REGULARITY &&
				t.candidates > 1,
			"guest, %s: regularity alone has %zu candidates", load, t.candidates);
		ok(isnan(t.cost.median) && t.doubt_lo_ns < 10500 && t.doubt_hi_ns > 13300 &&
				t.cost_ns > 9000,
			"guest, %s: they are within the doubt, from %g to %g, and no stray is",
			load, t.doubt_lo_ns, t.doubt_hi_ns);
	}
	/* Every tick preempts, so that the only short gaps at its phase are strays. */
	g.n = 0;
	for (size_t i = 0; i < 100; i++)
		add_gap(&g, 1e9 + (double)i * 8e6, i % 20 ? 4.01e6 : 300, true);
	const struct et_timer_series strays = { .gaps = g.gaps,
		.n = g.n,
		.hz = hz,
		.kernel_ns = 4000000,
		.tick_reading = NAN,
		.coarse_ns = g.coarse_ns };
	ok(et_timer_find(&strays, ticks, &t) == 0 && t.cost_ns == 0 && t.candidates == 0,
		"guest: no cost is reported if all ticks preempt (%g)", t.cost_ns);
	/* Marks that do not agree on a phase: the coarse clock is another CPU's. */
	play_guest(&g, &rng, false);
	for (size_t i = 0; i < g.n; i++)
		g.coarse_ns[i] = 5000000 + i / 3 * 4000000;
	struct et_timer_series s = { .gaps = g.gaps,
		.n = g.n,
		.hz = hz,
		.kernel_ns = 4000000,
		.tick_reading = NAN,
		.coarse_ns = g.coarse_ns };
	ok(et_timer_find(&s, ticks, &t) == 0 && t.source == ET_TIMER_REGULARITY,
		"guest: a coarse clock that advances anywhere is no evidence");
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
	int rc = et_timer_spin(&none,
		&(struct et_timer_options){
			.limit_ns = 3600000000000, .pulse = &stop, .tick_at_ns = ET_UNKNOWN },
		&t);
	ok(rc == 0 || beats == 1, "real timer: without a counter, until the pulse ends it");
	ok(et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns < 60000000000,
		"real timer: the pulse ends it in time");
	et_counter_identify(&c);
	if (!c.name || et_counter_calibrate(&c, 50000000) != 0) {
		skip("this processor has no usable counter");
		return;
	}
	rc = et_timer_spin(&c,
		&(struct et_timer_options){ .limit_ns = 2000000000, .tick_at_ns = ET_UNKNOWN }, &t);
	if (rc == -ENOENT) {
		skip("no tick was found: the machine is busy, or the CPU has none");
		return;
	}
	printf("# tick %g ns, found %g ns, cost %g ns, %zu seen, rc %d\n", t.tick_ns, t.found_ns,
		t.cost_ns, t.interrupts, rc);
	near(t.tick_ns, told, 0.01, 0, "real timer: the tick is that of the kernel");
	ok(!t.candidates || (t.doubt_lo_ns <= t.doubt_hi_ns &&
				    (t.candidates > 1 || (t.cost_ns <= t.cost.median &&
								 t.doubt_lo_ns <= t.cost.median &&
								 t.cost.median <= t.doubt_hi_ns))),
		"real timer: the median is within the doubt");
	ok(t.source != ET_TIMER_UNKNOWN, "real timer: the source is known");
	ok(t.cost_ns < 1e6, "real timer: an interrupt takes less than a millisecond");
	ok((rc == 0) == (t.interrupts >= ET_TIMER_INTERRUPTS),
		"real timer: too few interrupts are reported");
}

int main(void)
{
	simulated();
	guests();
	real();
	return tap_done();
}
