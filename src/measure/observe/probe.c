/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/probe.h"
#include "base/clock.h"
#include "base/u64.h"
#include "measure/child/run.h"
#include "measure/observe/lap.h"

enum { LAPS = 9 };

static const uint64_t AT_MOST_EVERY_NS = 10000000;

static uint64_t read_here(void)
{
	uint64_t laps[LAPS], now = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; i < LAPS; i++) {
		et_lap();
		uint64_t then = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
		laps[i] = then - now;
		now = then;
	}
	qsort(laps, LAPS, sizeof(*laps), et_ascending_u64);
	return laps[LAPS / 2];
}

void et_probe_open(struct et_probe *p, bool on)
{
	*p = (struct et_probe){ .cpu = -1, .taken_cpu = -1 };
	p->on = on && sched_getaffinity(0, sizeof(p->home), &p->home) == 0;
}

void et_probe_seen(struct et_probe *p, int cpu)
{
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		p->cpu = cpu;
}

void et_probe_expect(struct et_probe *p, const cpu_set_t *cpus)
{
	if (!cpus || (p->cpu >= 0 && CPU_ISSET(p->cpu, cpus)))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, cpus)) {
			p->cpu = cpu;
			return;
		}
	}
}

static void take(struct et_probe *p)
{
	int here = sched_getcpu();
	int there = p->cpu < 0 ? here : p->cpu;
	bool move = there != here;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(there, &one);
	/* The CPU went offline or was removed from our set: take the reading where we are. */
	if (move && sched_setaffinity(0, sizeof(one), &one) < 0) {
		there = here;
		move = false;
		p->cpu = -1;
	}
	p->reading_ns = read_here();
	if (move)
		sched_setaffinity(0, sizeof(p->home), &p->home);
	p->taken_cpu = there;
	p->taken_ns = et_clock_read_ns(CLOCK_MONOTONIC);
}

static bool is_young(const struct et_probe *p)
{
	return p->taken_ns && (p->cpu < 0 || p->cpu == p->taken_cpu) &&
	       et_clock_read_ns(CLOCK_MONOTONIC) - p->taken_ns < AT_MOST_EVERY_NS;
}

uint64_t et_probe_before(struct et_probe *p)
{
	if (!p->on)
		return ET_UNKNOWN;
	if (!is_young(p))
		take(p);
	return p->reading_ns;
}

uint64_t et_probe_after(struct et_probe *p)
{
	if (!p->on || is_young(p))
		return ET_UNKNOWN;
	take(p);
	return p->reading_ns;
}

/* --- the observer --- */

struct observation {
	struct et_probe probe;
	bool probed; /* this run */
	uint64_t before_ns, after_ns;
};

static int open_probe(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct et_probe probe;

	(void)err;
	et_probe_open(&probe, setup->e->plan.probe);
	if (!probe.on)
		return 0;
	struct observation *o = et_calloc(1, sizeof(*o));
	o->probe = probe;
	*self = o;
	return 0;
}

static void before(void *self, struct et_run *run)
{
	struct observation *o = self;

	o->probed = run->n == 1 && !run->paced;
	if (!o->probed)
		return;
	run->waits[0].want |= ET_WANT_CPU;
	et_probe_expect(&o->probe, run->cpus);
	o->before_ns = et_probe_before(&o->probe);
}

static void after(void *self, struct et_run *run)
{
	struct observation *o = self;

	if (!o->probed)
		return;
	et_probe_seen(&o->probe, run->ends[0].cpu);
	o->after_ns = et_probe_after(&o->probe);
}

static void fill(void *self, struct et_run *run, struct et_sample *samples)
{
	const struct observation *o = self;

	(void)run;
	if (!o->probed)
		return;
	samples[0].measured.probe_before_ns = o->before_ns;
	samples[0].measured.probe_after_ns = o->after_ns;
}

const struct et_observer et_observe_probe = {
	.name = "probe",
	.open = open_probe,
	.before = before,
	.after = after,
	.fill = fill,
	.close = free,
};
