/* SPDX-License-Identifier: MIT */
#include "lib/time/sampler.h"
#include "lib/time/cache.h"

enum {
	LONG_NS = 100000000,
	PREEMPTED_NS = 1000000,     /* a longer gap in a spin is the time slice of another thread */
	MAX_WINDOW_NS = 1000000000, /* the longest window in which interrupts are measured */
	WINDOWS = 8,                /* the least of fewer may exceed the loss within a sample */
	LONG_WINDOWS = 3,           /* long windows differ less, so fewer are enough */
	SWITCH_WAIT_NS = 300000000, /* how long to wait for context switches, to learn their cost */
	FIRST_SPIN_NS = 20000000,
	PROBE_NS = 8000000,
	PATIENCE = 2,
	MAX_RAISED_NS = 50000000, /* other threads run at the end of the first sample after this */
};

/* Elapsed time may exceed CPU time by this: clocks are read in turn, kernel threads run briefly. */
static const double SLACK_NS = 2000, SLACK_RATIO = 1e-4;

void et_sampler_init(struct et_sampler *s, struct et_timebase *t, const struct etalon_kbest_opts *o)
{
	*s = (struct et_sampler){
		.t = t,
		.o = o,
		.switch_wait_ns = SWITCH_WAIT_NS,
		.first_spin_ns = FIRST_SPIN_NS,
		.max_window_ns = MAX_WINDOW_NS,
		.patience = PATIENCE,
	};
	et_loss_init(&s->loss, t->hz, 0, PREEMPTED_NS);
}

double et_sampler_ns(const struct et_sampler *s, double ticks)
{
	return ticks / s->t->hz * 1e9;
}

/*
 * The share of the time of interrupts that the kernel charges to the thread's CPU time. It is 1, or
 * 0 with CONFIG_IRQ_TIME_ACCOUNTING, or between them if a hypervisor reports only a part as steal.
 */
static double charged_share(const struct et_sampler *s)
{
	double ran = et_sampler_ns(s, s->loss.all_ran), lost = et_sampler_ns(s, s->loss.all_lost);

	if (lost <= 0)
		return 0;
	return fmin(fmax((s->spin_cpu_ns - (ran - lost)) / lost, 0), 1);
}

/*
 * Whether the thread left the CPU of its own accord, as in nearly every sample: then elapsed time
 * is that of the code. In a single one it is a disturbance, such as a page read from a disk.
 */
static bool always_waits(const struct et_sampler *s, const struct et_timed *x)
{
	return x->waited && 4 * (s->waited + 1) >= 3 * (s->seen + 1);
}

/*
 * Whether another thread or a hypervisor took the CPU: more time passed than was charged. A switch
 * alone proves nothing: a kernel thread may run for a microsecond, as interrupts do.
 */
static bool preempted(const struct et_sampler *s, const struct et_timed *x)
{
	double wall = et_sampler_ns(s, x->ticks);
	/* The share of elapsed time that goes to interrupts and is not charged to the thread. */
	double ran = s->loss.all_ran;
	double uncharged = ran > 0 ? (1 - charged_share(s)) * s->loss.all_lost / ran : 0;
	double slack = SLACK_NS + wall * (SLACK_RATIO + 2 * uncharged);

	return wall - x->cpu_ns > slack && !always_waits(s, x);
}

void et_sampler_start(struct et_sampler *s)
{
	const struct et_timebase *t = s->t;

	if (t->cache)
		et_cache_clear(t->cache);
	if (s->after_tick)
		t->wait_tick(t->ctx);
	s->switches = t->context_switches(t->ctx, &s->waits);
	s->cpu = t->cpu_ns(t->ctx);
	s->start = t->start(t->ctx);
}

void et_sampler_stop(struct et_sampler *s, struct et_timed *out)
{
	const struct et_timebase *t = s->t;
	uint64_t t1 = t->stop(t->ctx), cpu = t->cpu_ns(t->ctx) - s->cpu, waits;
	uint64_t switches = t->context_switches(t->ctx, &waits) - s->switches;

	*out = (struct et_timed){
		.ticks = fmax((double)(t1 - s->start) - t->overhead, 0),
		.cpu_ns = fmax((double)cpu - t->cpu_overhead_ns, 0),
		.switches = switches,
		.waited = 2 * (waits - s->waits) > switches,
		.backwards = t1 < s->start,
	};
	out->preempted = preempted(s, out);
}

/* Spins without completing a window, to learn whether the kernel charges interrupts to threads. */
static void measure_charging(struct et_sampler *s)
{
	const struct et_timebase *t = s->t;
	uint64_t cpu = t->cpu_ns(t->ctx);

	s->loss.window = INFINITY;
	t->spin(t->ctx, &s->loss, (uint64_t)((double)s->first_spin_ns * t->hz / 1e9));
	s->spin_cpu_ns += (double)(t->cpu_ns(t->ctx) - cpu);
}

/*
 * If samples are preempted: learns what a context switch costs, and whether the priority may be
 * raised. A single preempted sample may be chance; it is enough only if samples take long.
 */
static void note_preemption(struct et_sampler *s, const struct et_timed *x)
{
	s->last_preempted = x->preempted;
	if (!x->preempted || ++s->preemptions != (x->cpu_ns < LONG_NS ? s->patience : 1))
		return;
	if (s->switch_wait_ns)
		s->switch_ns = et_timebase_switch_ns(s->t, s->switch_wait_ns);
	s->may_raise = s->t->raise_priority && s->o->priority == ETALON_PRIORITY_AUTO;
}

static void note_sample(struct et_sampler *s, const struct et_timed *x)
{
	note_preemption(s, x);
	s->seen++;
	s->waited += x->waited;
}

void et_sampler_expect(struct et_sampler *s, const struct et_timed *x)
{
	struct et_timed again = *x;

	s->least_ns = x->cpu_ns;
	et_loss_init(&s->loss, s->t->hz, (uint64_t)fmin(x->cpu_ns, s->max_window_ns), PREEMPTED_NS);
	s->may_wait_tick = s->o->compensate && s->t->wait_tick && x->cpu_ns > s->t->tick_ns / 2;
	if (s->o->compensate && et_sampler_meets_interrupts(s, x->cpu_ns))
		measure_charging(s);
	again.preempted = preempted(s, x);
	note_sample(s, &again);
}

void et_sampler_probe(struct et_sampler *s)
{
	const struct et_timebase *t = s->t;
	uint64_t from = t->now_ns(t->ctx), cpu = t->cpu_ns(t->ctx);
	struct et_timed x = { 0 };

	s->first_spin_ns = PROBE_NS;
	measure_charging(s);
	s->least_ns = INFINITY;
	x.preempted = (double)(t->now_ns(t->ctx) - from) - (double)(t->cpu_ns(t->ctx) - cpu) >
		      PREEMPTED_NS;
	note_preemption(s, &x);
}

/* Allows for one tick of rounding: a slow counter makes only a few ticks in the reference loop. */
double et_sampler_slowdown(const struct et_sampler *s, double reference)
{
	double full = s->t->full_speed_ticks;

	return full > 0 ? fmax((reference - 1) / full - 1, 0) : 0;
}

bool et_sampler_meets_interrupts(const struct et_sampler *s, double ns)
{
	return ns >= s->t->tick_ns / 16;
}

void et_sampler_interrupts(struct et_sampler *s, double sample_ns)
{
	const struct et_timebase *t = s->t;

	s->least_ns = fmin(s->least_ns, sample_ns);
	s->loss.window = fmin(s->least_ns, s->max_window_ns) * t->hz / 1e9;
	if (s->after_tick)
		t->wait_tick(t->ctx);
	uint64_t cpu = t->cpu_ns(t->ctx);
	t->spin(t->ctx, &s->loss, (uint64_t)(2 * s->loss.window));
	s->spin_cpu_ns += (double)(t->cpu_ns(t->ctx) - cpu);
}

static void raise_priority(struct et_sampler *s)
{
	const struct et_timebase *t = s->t;

	if (!s->may_raise || s->raised)
		return;
	s->may_raise = s->raised = t->raise_priority(t->ctx, &s->saved);
	s->ever_raised |= s->raised;
	s->raised_ns = t->now_ns(t->ctx);
}

void et_sampler_rest(struct et_sampler *s)
{
	const struct et_timebase *t = s->t;

	if (!s->raised)
		return;
	t->restore_priority(t->ctx, &s->saved);
	t->yield(t->ctx);
	s->raised = false;
}

void et_sampler_rest_if_due(struct et_sampler *s)
{
	if (s->raised && s->t->now_ns(s->t->ctx) - s->raised_ns >= MAX_RAISED_NS)
		et_sampler_rest(s);
}

void et_sampler_ready(struct et_sampler *s)
{
	/* Yield first, so that the sample begins with a full time slice. */
	if (s->last_preempted)
		s->t->yield(s->t->ctx);
	raise_priority(s);
	/* Waiting for a tick would waste part of the time slice if the priority is not raised. */
	s->after_tick = s->may_wait_tick && (s->raised || !s->last_preempted);
	s->reference_before = et_timebase_reference_ticks(s->t);
}

void et_sampler_observed(struct et_sampler *s, struct et_timed *x)
{
	x->reference = fmax(s->reference_before, et_timebase_reference_ticks(s->t));
	x->slowdown = et_sampler_slowdown(s, x->reference);
	x->preempted = preempted(s, x);
	note_sample(s, x);
}

bool et_sampler_enough_windows(const struct et_sampler *s)
{
	return s->loss.best.n >= (et_loss_long(&s->loss) ? LONG_WINDOWS : WINDOWS);
}

double et_sampler_least_loss(
	const struct et_sampler *s, double sample_ns, bool by_cpu, double *uncertainty_ns)
{
	const struct et_kbest_set *best = &s->loss.best;
	double uncertainty, least = et_loss_least(&s->loss, &uncertainty);
	double scale = fmax(sample_ns / s->max_window_ns, 1) * (by_cpu ? charged_share(s) : 1);

	/* Of few windows, the longer half says nothing about the least. */
	if (best->n >= 2 && (best->n + 1) / 2 < best->kept)
		uncertainty = best->value[(best->n + 1) / 2] - best->value[0];
	*uncertainty_ns = et_sampler_ns(s, uncertainty) * scale;
	return et_sampler_ns(s, least) * scale;
}
