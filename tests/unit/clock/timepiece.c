/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of known step and cost in a world where time passes only when something is read. */
#include "clock/timepiece.h"
#include "tap.h"

#include <errno.h>

static uint64_t world_ns;

struct nature {
	uint64_t step_ns, cost_ns;
	uint64_t back_every, reads; /* every so often it reads less than before */
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
	ok(false, "what is forbidden is not tried");
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

static void test_fakes(void)
{
	struct et_timepiece_figures f = measure(1, 25, 0, 0);

	near(f.step, 25, 0, 0, "a clock finer than its reading steps by its latency");
	near(f.latency_ns, 25, 1e-12, 0, "which is what a reading costs");
	ok(f.latency_lo_ns <= f.latency_ns && f.latency_ns <= f.latency_hi_ns, "in its interval");
	f = measure(4000000, 6, 0, 2);
	near(f.step, 4e6, 0, 0, "ticks are waited for");
	near(f.latency_ns, 4, 1e-12, 0, "the loop's cost is taken off");
	ok(f.steps >= 5 && world_ns < 1200000000, "five of them, in a bounded time");
	f = measure(1000, 30, 0, 0);
	near(f.step, 1000, 0, 0, "microseconds");
	f = measure(10000000, 300, 0, 0);
	near(f.step, 1e7, 0, 0, "hundredths of a second");
	f = measure(1, 3, 0, 10);
	ok(f.latency_ns == 0 && f.latency_lo_ns == 0, "never a negative cost");
	f = measure(10, 20, 7, 0);
	ok(f.backwards > 0 && f.step == 20, "going backwards is counted and is no step");
	ok(measure(10, 20, 0, 0).backwards == 0, "and only that");
}

static void test_failures(void)
{
	struct et_timepiece t = { .name = "no", .id = ET_NO_CLOCKID, .read = read_forbidden };
	struct et_timepiece_figures f;

	et_timepiece_measure(&t, &reference, 0, &f);
	ok(f.error == EPERM && isnan(f.step) && isnan(f.latency_ns), "the reason is kept");
	t.read = read_never;
	world_ns = 0;
	et_timepiece_measure(&t, &reference, 0, &f);
	ok(f.error == 0 && isnan(f.step) && f.steps == 0, "a clock that stands still has no step");
	near(f.latency_ns, 100, 1e-12, 0, "but a cost");
	ok(world_ns < 200000000, "and is not waited for for ever");
	t.read = read_must_not;
	t.check = check_refuses;
	et_timepiece_measure(&t, &reference, 0, &f);
	ok(f.error == EOPNOTSUPP, "the check decides");
}

static void test_real(void)
{
	size_t n = 0;

	for (const struct et_timepiece *t = et_timepieces; t->name; t++, n++) {
		struct et_timepiece_figures f;
		et_timepiece_measure(t, &et_clock_real, 0, &f);
		if (f.error)
			continue;
		ok(f.latency_ns > 0 && f.latency_lo_ns <= f.latency_hi_ns, "%s costs %g ns",
			t->name, f.latency_ns);
		ok(t->kind != ET_CLOCK_TICKS || !(f.step < 100000), "%s steps by %g", t->name,
			f.step);
	}
	ok(n >= 13, "the list is complete");
	ok(et_timepiece_overhead(&et_clock_real) < 1000, "a loop costs little");
}

int main(void)
{
	test_fakes();
	test_failures();
	test_real();
	return tap_done();
}
