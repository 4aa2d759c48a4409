/* SPDX-License-Identifier: MIT */
/*
 * K-best for a function: takes samples until the K shortest agree. This extends the published
 * scheme. It detects preempted samples by the thread's CPU time, falls back to CPU time if almost
 * all are preempted, subtracts the smallest loss to interrupts that a window of the same length
 * had, monitors the processor's speed, tests whether the shortest samples are a floor, and predicts
 * its error. From the first sample to the last, nothing allocates, prints or locks.
 */
#include "lib/time/kbest.h"
#include "lib/time/cache.h"

#include <math.h>
#include <string.h>

enum {
	SAMPLE_NS = 20000, /* a short function is called repeatedly until a sample is this long */
	MAX_CALLS = 1 << 24,
	TRIES = 3,
	LONG_TRIES = 2, /* if a call is longer than LONG_NS */
	LONG_NS = 100000000,
	IDLE_SPIN_NS = 200000, /* of a spin between samples */
	FLOOR_SAMPLES = 128,   /* test the floor whenever this many were added */
};

static void time_sample(struct et_kbest_run *m, struct et_timed *x)
{
	et_sampler_start(&m->s);
	et_call_many(m->fn, m->arg, m->calls);
	et_sampler_stop(&m->s, x);
	m->backwards |= x->backwards;
}

static double ns_of(const struct et_kbest_run *m, double ticks)
{
	return et_sampler_ns(&m->s, ticks);
}

/*
 * Warms up and finds the number of calls that makes a sample long enough for the clock. The first
 * call may take far longer than the next (if it fills a table), and any may be preempted, so the
 * shortest of a few tries decides.
 */
static void choose_calls(struct et_kbest_run *m, struct et_timed *shortest)
{
	bool fixed = m->o->calls || m->s.t->cache;
	struct et_timed x;

	m->calls = m->o->calls ? m->o->calls : 1;
	for (int tries = 0;; tries++) {
		time_sample(m, &x);
		if (!tries || x.ticks < shortest->ticks)
			*shortest = x;
		if (fixed || m->backwards)
			return;
		if (tries + 1 < (shortest->cpu_ns < LONG_NS ? TRIES : LONG_TRIES))
			continue;
		if (ns_of(m, shortest->ticks) >= SAMPLE_NS || m->calls >= MAX_CALLS)
			return;
		m->calls *= 2;
		tries = -1;
	}
}

/*
 * Adds a sample to those at full speed. When the processor turns out to be faster than was known,
 * the earlier ones were slow.
 */
static void add_full_speed(struct et_kbest_run *m, const struct et_timed *x)
{
	double full = m->s.t->full_speed_ticks;

	if (full < m->full_speed_ticks * (1 - ET_NOTABLE_SLOWDOWN / 2)) {
		et_kbest_set_init(&m->full, m->o->k);
		for (size_t i = 0; i < m->kept.n; i++)
			if (et_kept_at_full_speed(&m->kept, &m->kept.list[i]))
				et_kbest_set_add(&m->full, m->kept.list[i].ticks, 0);
		m->full_speed_ticks = full;
	}
	if (x->slowdown <= ET_NOTABLE_SLOWDOWN)
		et_kbest_set_add(&m->full, x->ticks, x->slowdown);
}

static void add_clean(struct et_kbest_run *m, const struct et_timed *x)
{
	et_kbest_set_add(&m->clean, x->ticks, x->slowdown);
	add_full_speed(m, x);
	if (m->s.t->cache)
		et_cache_note(m->s.t->cache, x->ticks);
}

static void take_sample(struct et_kbest_run *m)
{
	double switch_ns;
	struct et_timed x;

	et_sampler_ready(&m->s);
	time_sample(m, &x);
	et_sampler_observed(&m->s, &x);
	if (m->o->compensate && et_sampler_meets_interrupts(&m->s, fmin(m->s.least_ns, x.cpu_ns)))
		et_sampler_interrupts(&m->s, x.cpu_ns);
	m->samples++;
	m->switches += (double)x.switches;
	m->slow_sum += fmin(x.slowdown, 2); /* more is an interrupt in the reference loop */
	m->slow_least = m->samples == 1 ? x.slowdown : fmin(m->slow_least, x.slowdown);
	if (!x.preempted)
		add_clean(m, &x);
	m->preempted += x.preempted;
	switch_ns = et_kbest_compensates_switches(m, (double)x.switches)
			    ? m->s.switch_ns * (double)x.switches
			    : 0;
	et_kbest_set_add(&m->cpu, fmax(x.cpu_ns - switch_ns, 0), x.slowdown);
	et_kept_add(&m->kept, &x);
	if (m->samples % FLOOR_SAMPLES == 0 && !m->s.t->cache)
		m->below_floor = et_kept_below_floor(&m->kept, m->o->epsilon);
}

/* Spins, to learn how much time interrupts take that do not look like preemption. */
static void spin_idly(struct et_kbest_run *m)
{
	const struct et_timebase *t = m->s.t;
	struct et_loss l;
	struct et_timed x;

	et_loss_init(&l, t->hz, 0, UINT32_MAX);
	l.window = INFINITY;
	et_sampler_start(&m->s);
	t->spin(t->ctx, &l, (uint64_t)(IDLE_SPIN_NS * t->hz / 1e9));
	et_sampler_stop(&m->s, &x);
	if (x.preempted)
		return;
	m->idle_ran += l.all_ran;
	m->idle_lost += l.all_lost;
}

/*
 * Whether the next sample is not due yet. Samples that follow each other at once would all meet the
 * same disturbance, so they are spread over least_ns; meanwhile the reference loop runs, to find
 * the full speed, and spins find interrupts.
 */
static bool ahead_of_schedule(struct et_kbest_run *m)
{
	double due = (double)m->o->least_ns * (double)m->samples / m->o->max_samples;

	if (m->o->limit_ns)
		due = fmin(due, (double)m->o->limit_ns);
	if ((double)m->elapsed_ns >= due)
		return false;
	if (m->waits++ % 2 && !m->s.t->cache && !m->s.may_wait_tick)
		spin_idly(m);
	else
		et_timebase_reference_ticks(m->s.t);
	return true;
}

static void sample_all(struct et_kbest_run *m)
{
	const struct et_timebase *t = m->s.t;
	struct et_timed x;
	uint64_t first;

	choose_calls(m, &x);
	m->empty = et_empty_call(
		m->s.t, m->fn, m->arg, ns_of(m, x.ticks) / m->calls, m->calls, m->calls > 1);
	et_sampler_expect(&m->s, &x);
	first = t->now_ns(t->ctx);
	while (!m->backwards && !et_kbest_finished(m)) {
		take_sample(m);
		et_sampler_rest_if_due(&m->s);
		while (m->elapsed_ns = t->now_ns(t->ctx) - first, ahead_of_schedule(m))
			et_sampler_rest(&m->s);
	}
	et_sampler_rest(&m->s);
}

int et_kbest_measure(struct et_timebase *t, struct et_timebase *other, void (*fn)(void *),
	void *arg, const struct etalon_kbest_opts *o, struct etalon_kbest_result *out)
{
	struct etalon_kbest_result r = { .sz = sizeof(r) };
	struct et_kbest_run m = { .o = o, .fn = fn, .arg = arg };
	int rc = et_kept_init(&m.kept, o->max_samples, &m.s);

	if (rc)
		return rc;
	et_sampler_init(&m.s, t, o);
	m.full_speed_ticks = t->full_speed_ticks;
	et_kbest_set_init(&m.full, o->k);
	et_kbest_set_init(&m.clean, o->k);
	et_kbest_set_init(&m.cpu, o->k);
	sample_all(&m);
	if (!m.backwards)
		et_kbest_judge(&m, &r);
	et_kept_free(&m.kept);
	if (m.backwards) {
		if (!other)
			return ETALON_BAD_CLOCK;
		other->warnings |= ETALON_WARNING_BACKWARDS;
		return et_kbest_measure(other, NULL, fn, arg, o, out);
	}
	*out = r;
	return r.converged ? ETALON_OK : ETALON_NOT_CONVERGED;
}
