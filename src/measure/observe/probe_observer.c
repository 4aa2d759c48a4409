/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observer: how fast the machine is before and after a run (probe.h). */
#include "base/alloc.h"
#include "measure/child/run.h"
#include "measure/observe/probe.h"

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
