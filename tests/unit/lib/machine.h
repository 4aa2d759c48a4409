/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated machine: work of known length, timer interrupts that take time, threads that share
 * the CPU, a hyper-thread sibling that halves its speed for tenths of a second.
 */
#pragma once

#include "base/base.h"
#include "lib/time/kbest.h"
#include "num/rng.h"
#include "tap.h"

#include <math.h>

static const double HZ = 2.5e9; /* of the counter */

struct machine {
	double hz;       /* of the counter */
	double first_ns; /* extra time of the first call */
	double now, cpu; /* ns */
	double next_tick, tick_cost;
	int load;           /* threads on the CPU, ours included */
	bool sibling, slow; /* the sibling is busy at times; it is now */
	double phase_end;
	uint64_t switches, waits;
	double work;     /* of a call */
	double sleep_ns; /* of every call whose number is a multiple of sleep_each */
	uint64_t sleep_each;
	bool backwards;
	bool apart; /* the kernel does not charge interrupts to the interrupted thread */
	bool may_raise, raised;
	uint64_t reads, calls, raises;
	struct et_rng rng;
};

enum { TICK = 4000000, PHASE = 200000000 };

/* A timer interrupt, after which other threads get their time slices. Returns its cost. */
static double tick(struct machine *m)
{
	double cost = m->tick_cost * (1 + et_rng_uniform(&m->rng));

	m->now += cost;
	m->cpu += m->apart ? 0 : cost;
	if (m->load > 1 && !m->raised) {
		m->now += (m->load - 1) * (double)TICK;
		m->switches++;
	}
	while (m->next_tick <= m->now)
		m->next_tick += TICK;
	return cost;
}

/* Runs until the work is done or an interrupt is due. Returns the work left. */
static double run_some(struct machine *m, double work)
{
	double speed = m->slow ? 0.5 : 1;
	double until = fmin(m->next_tick, m->phase_end) - m->now;
	double d = fmin(work / speed, fmax(until, 0));

	m->now += d;
	m->cpu += d;
	if (m->now >= m->phase_end) {
		m->slow = m->sibling && !m->slow;
		m->phase_end = m->now + PHASE * (0.5 + et_rng_uniform(&m->rng));
	}
	return fmax(work - d * speed, 0);
}

static void run(struct machine *m, double work)
{
	while (work > 1e-6) {
		work = run_some(m, work);
		if (m->now >= m->next_tick)
			tick(m);
	}
}

static uint64_t clock_read(void *ctx)
{
	struct machine *m = ctx;

	run(m, 8 + 2 * et_rng_uniform(&m->rng));
	if (m->backwards && ++m->reads > 5000)
		return (uint64_t)(1e9 - (double)m->reads);
	return (uint64_t)(m->now * m->hz / 1e9);
}

static uint64_t cpu_read(void *ctx)
{
	struct machine *m = ctx;

	run(m, 150);
	return (uint64_t)m->cpu;
}

static uint64_t switches_read(void *ctx, uint64_t *waits)
{
	struct machine *m = ctx;

	*waits = m->waits;
	return m->switches + m->waits;
}

static uint64_t now_read(void *ctx)
{
	return (uint64_t)((struct machine *)ctx)->now;
}

/* Other threads run until a timer interrupt; we return with a full time slice. */
static void yield(void *ctx)
{
	struct machine *m = ctx;

	if (m->load > 1) {
		m->now = m->next_tick + (m->load - 2) * (double)TICK;
		m->switches++;
		while (m->next_tick <= m->now)
			m->next_tick += TICK;
	}
}

static void wait_tick(void *ctx)
{
	struct machine *m = ctx;
	double tick_ns = m->next_tick;

	while (m->now < tick_ns + 1e5)
		run(m, 100);
}

static bool raise_priority(void *ctx, struct et_sched_policy *was)
{
	struct machine *m = ctx;

	was->policy = 5;
	m->raised = m->may_raise;
	m->raises++;
	return m->may_raise;
}

static void restore_priority(void *ctx, const struct et_sched_policy *was)
{
	struct machine *m = ctx;

	m->raised = was->policy != 5;
}

static void reference_loop(void *ctx)
{
	run(ctx, 7000);
}

static void spin(void *ctx, struct et_loss *l, uint64_t ticks)
{
	struct machine *m = ctx;
	double end = m->now + (double)ticks / m->hz * 1e9;

	et_loss_open_window(l);
	while (m->now < end) {
		double before = m->cpu;

		run_some(m, 1e5);
		et_loss_run(l, (m->cpu - before) * m->hz / 1e9);
		if (m->now >= m->next_tick) {
			double lost = tick(m) * m->hz / 1e9;

			l->step = 0;
			if (m->load == 1 || m->raised)
				et_loss_step(l, (uint64_t)lost);
			else /* another thread is scheduled now */
				et_loss_preempted(l);
		}
		if (et_loss_close_window(l))
			return;
	}
}

static void function(void *ctx)
{
	struct machine *m = ctx;

	run(m, m->calls++ ? m->work : m->work + m->first_ns);
	if (!m->sleep_each || m->calls % m->sleep_each)
		return;
	m->now += m->sleep_ns;
	m->waits++;
	while (m->next_tick <= m->now)
		m->next_tick += TICK;
}

static void start(struct machine *m, struct et_timebase *t, uint64_t seed)
{
	et_rng_seed(&m->rng, seed, 0);
	m->hz = m->hz > 0 ? m->hz : HZ;
	m->now = m->phase_end = 1e9 * (1 + et_rng_uniform(&m->rng));
	m->next_tick = m->now + TICK * et_rng_uniform(&m->rng);
	*t = (struct et_timebase){
		.start = clock_read,
		.stop = clock_read,
		.cpu_ns = cpu_read,
		.context_switches = switches_read,
		.now_ns = now_read,
		.yield = yield,
		.wait_tick = wait_tick,
		.raise_priority = raise_priority,
		.restore_priority = restore_priority,
		.reference_loop = reference_loop,
		.spin = spin,
		.ctx = m,
		.clock = ETALON_CLOCK_COUNTER,
		.unit = "tsc ticks",
		.hz = m->hz,
		.hz_uncertainty = 100,
		.tick_ns = TICK,
	};
	et_timebase_calibrate(t);
}

static void defaults(struct etalon_kbest_opts *o)
{
	if (et_kbest_opts_complete(NULL, o) != ETALON_OK)
		tap_bail("no default options");
}
