/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated clocks of known step and cost; their time passes only when a clock is read. */
#include "clock/timepiece.h"
#include "tap.h"

#include <errno.h>

static uint64_t world_ns;

struct nature {
	uint64_t step_ns, cost_ns;
	uint64_t back_every, reads; /* every back_every-th reading goes backwards */
};

static uint64_t now(void *ctx)
{
	(void)ctx;
	return world_ns;
}

static uint64_t read_fake(const struct et_timepiece *self)
{
	struct nature *n = self->ctx;

	world_ns += n->cost_ns;
	n->reads++;
	uint64_t value = world_ns / n->step_ns * n->step_ns;
	return n->back_every && n->reads % n->back_every == 0 ? value - 5 * n->step_ns : value;
}

static uint64_t read_forbidden(const struct et_timepiece *self)
{
	(void)self;
	errno = EPERM;
	return ET_UNKNOWN;
}

static uint64_t read_never(const struct et_timepiece *self)
{
	(void)self;
	world_ns += 100;
	return 7;
}

static int check_refuses(void)
{
	return EOPNOTSUPP;
}

static uint64_t read_must_not(const struct et_timepiece *self)
{
	(void)self;
	ok(false, "a clock whose check fails is not read");
	return 0;
}

static const struct et_clock reference = { .now_ns = now, .wall_ns = now };

static struct et_timepiece_figures measure(
	uint64_t step_ns, uint64_t cost_ns, uint64_t back_every, double overhead_ns)
{
	struct nature nature = { .step_ns = step_ns, .cost_ns = cost_ns, .back_every = back_every };
	struct et_timepiece t = { .name = "fake",
		.kind = ET_CLOCK_TIME,
		.id = ET_NO_CLOCKID,
		.read = read_fake,
		.ctx = &nature };
	struct et_timepiece_figures f;

	world_ns = 1000000000;
	et_timepiece_measure(&t, &reference, overhead_ns, &f);
	return f;
}

/* A clock that ticks; other threads run for ticks[i] - 1 ticks before the i-th step is seen. */
struct away {
	const uint64_t *ticks;
	size_t n, at;
	uint64_t value, reads;
};

static uint64_t read_away(const struct et_timepiece *self)
{
	struct away *a = self->ctx;

	world_ns += 1000;
	if (++a->reads % 1000 == 0 && a->at < a->n) {
		a->value += a->ticks[a->at] * 4000000;
		world_ns += (a->ticks[a->at++] - 1) * 4000000;
	}
	return a->value;
}

static struct et_timepiece_figures measure_away(const uint64_t *ticks, size_t n)
{
	struct away away = { .ticks = ticks, .n = n };
	struct et_timepiece t = { .name = "away",
		.kind = ET_CLOCK_CPU,
		.id = ET_NO_CLOCKID,
		.read = read_away,
		.ctx = &away };
	struct et_timepiece_figures f;

	world_ns = 1000000000;
	et_timepiece_measure(&t, &reference, 0, &f);
	return f;
}

static void test_fakes(void)
{
	struct et_timepiece_figures f = measure(1, 25, 0, 0);

	near(f.step, 25, 0, 0, "a clock finer than its latency steps by its latency");
	near(f.latency_ns, 25, 1e-12, 0, "the latency is the cost of a reading");
	ok(f.latency_lo_ns <= f.latency_ns && f.latency_ns <= f.latency_hi_ns,
		"the latency is within its interval");
	f = measure(4000000, 6, 0, 2);
	near(f.step, 4e6, 0, 0, "a coarse clock: ticks are waited for");
	near(f.latency_ns, 4, 1e-12, 0, "a coarse clock: the cost of the loop is subtracted");
	ok(f.steps == 3 && f.confirmed == 3 && world_ns < 1100000000,
		"a coarse clock: three ticks are enough");
	f = measure_away((const uint64_t[]){ 3, 3, 2, 1, 3, 1, 1 }, 7);
	near(f.step, 4e6, 0, 0, "preempted: several ticks at once are no step");
	ok(f.steps == 3 && f.confirmed == 3, "preempted: the step is observed three times");
	f = measure_away((const uint64_t[]){ 2, 1, 2, 2 }, 4);
	ok(f.step == 4e6 && f.confirmed == 1,
		"preempted: a step that was observed once is not confirmed");
	f = measure_away((const uint64_t[]){ 2, 2 }, 2);
	ok(isnan(f.step) && f.steps == 0, "preempted: a step that was never observed is unknown");
	f = measure(1000, 30, 0, 0);
	near(f.step, 1000, 0, 0, "a clock of microseconds has a step of 1000 ns");
	f = measure(10000000, 300, 0, 0);
	near(f.step, 1e7, 0, 0, "a clock of hundredths of a second has a step of 10 ms");
	f = measure(1, 3, 0, 10);
	ok(f.latency_ns == 0 && f.latency_lo_ns == 0, "a latency is never negative");
	f = measure(10, 20, 7, 0);
	ok(f.backwards > 0 && f.step == 20, "backwards: it is counted and is no step");
	ok(measure(10, 20, 0, 0).backwards == 0,
		"backwards: a monotonic clock has no such reading");
}

/* The chapter's experiment: whether a clock is cycle-based or interval-based. */
static void test_basis(void)
{
	const uint64_t tick_ns = et_clock_tick_ns() ? et_clock_tick_ns() : 4000000;

	ok(measure(1, 25, 0, 0).basis == ET_BASIS_CYCLES,
		"basis: a clock finer than its latency is cycle-based");
	ok(measure(1000, 40, 0, 0).basis == ET_BASIS_CYCLES,
		"basis: microseconds of gettimeofday are cycle-based");
	ok(measure(tick_ns, 300, 0, 0).basis == ET_BASIS_TICKS,
		"basis: steps of one tick are interval counting");
	ok(measure(10 * tick_ns, 300, 0, 0).basis == ET_BASIS_TICKS,
		"basis: steps of ten ticks are interval counting");
	ok(measure(tick_ns / 4, 300, 0, 0).basis == ET_BASIS_UNDECIDED,
		"basis: steps of a quarter of a tick are undecided");
	ok(measure_away((const uint64_t[]){ 2, 2 }, 2).basis == ET_BASIS_TICKS,
		"basis: a coarse clock is decided although every tick preempts");
	struct et_timepiece_figures f = { .windows = 100, .still = 10, .least_ns = 399999 };
	ok(et_timepiece_decide(&f, 4e6) == ET_BASIS_CYCLES,
		"basis: a clock that moves in nine of ten windows is cycle-based");
	f.still = 11;
	ok(et_timepiece_decide(&f, 4e6) == ET_BASIS_UNDECIDED,
		"basis: one that stands still more often is undecided");
	f = (struct et_timepiece_figures){ .windows = 100, .still = 90, .least_ns = 2000001 };
	ok(et_timepiece_decide(&f, 4e6) == ET_BASIS_TICKS,
		"basis: a clock that stands still in nine of ten windows counts ticks");
	f.least_ns = 1999999;
	ok(et_timepiece_decide(&f, 4e6) == ET_BASIS_UNDECIDED,
		"basis: unless it ever advanced by less than half a tick");
	f.least_ns = NAN;
	ok(et_timepiece_decide(&f, 4e6) == ET_BASIS_UNDECIDED,
		"basis: a clock that was never seen to step is undecided");

	is_str(et_clock_kind_name(ET_CLOCK_TIME, ET_BASIS_CYCLES), "time",
		"kind: a cycle-based clock of time");
	is_str(et_clock_kind_name(ET_CLOCK_TIME, ET_BASIS_TICKS), "ticks",
		"kind: a clock of time that counts ticks");
	is_str(et_clock_kind_name(ET_CLOCK_CPU, ET_BASIS_CYCLES), "cpu", "kind: exact CPU time");
	ok(!et_clock_kind_name(ET_CLOCK_CPU, ET_BASIS_UNDECIDED), "kind: undecided has no name");
}

static void test_failures(void)
{
	struct et_timepiece t = { .name = "no", .id = ET_NO_CLOCKID, .read = read_forbidden };
	struct et_timepiece_figures f;

	et_timepiece_measure(&t, &reference, 0, &f);
	ok(f.error == EPERM && isnan(f.step) && isnan(f.latency_ns),
		"a clock that cannot be read: its errno is reported");
	t.read = read_never;
	world_ns = 0;
	et_timepiece_measure(&t, &reference, 0, &f);
	ok(f.error == 0 && isnan(f.step) && f.steps == 0, "a clock that stands still has no step");
	near(f.latency_ns, 100, 1e-12, 0, "a clock that stands still has a latency");
	ok(world_ns < 400000000, "a clock that stands still: the measurement ends");
	t.read = read_must_not;
	t.check = check_refuses;
	et_timepiece_measure(&t, &reference, 0, &f);
	ok(f.error == EOPNOTSUPP, "a clock whose check fails: that errno is reported");
}

static void test_real(void)
{
	size_t n = 0;

	for (const struct et_timepiece *t = et_timepieces; t->name; t++, n++) {
		struct et_timepiece_figures f;
		et_timepiece_measure(t, &et_clock_real, 0, &f);
		if (f.error)
			continue;
		ok(f.latency_ns > 0 && f.latency_lo_ns <= f.latency_hi_ns,
			"real clock %s: a reading costs %g ns", t->name, f.latency_ns);
		/* NaN: on a busy machine, every step was made while another thread had the CPU. */
		ok(f.basis != ET_BASIS_TICKS || !(f.step <= 100000),
			"real clock %s: it is interval-based only with a long step (%g)", t->name,
			f.step);
		ok(f.basis != ET_BASIS_CYCLES || !strstr(t->name, "COARSE"),
			"real clock %s: a coarse clock is not cycle-based", t->name);
	}
	ok(n >= 13, "real clocks: the table has at least 13");
	ok(et_timepiece_overhead(&et_clock_real) < 1000,
		"real clocks: the loop costs less than a microsecond");
}

int main(void)
{
	test_fakes();
	test_basis();
	test_failures();
	test_real();
	return tap_done();
}
