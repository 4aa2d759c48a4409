/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * K-best for a function: takes samples until the K shortest agree. This extends the published
 * scheme. It detects preempted samples by the thread's CPU time, falls back to CPU time if almost
 * all are preempted, subtracts the smallest loss to interrupts that a window of the same length
 * had, monitors the processor's speed, and predicts its error. Nothing here allocates, prints or
 * locks.
 */
#include "lib/kbest.h"
#include "lib/cache.h"

#include <math.h>
#include <string.h>

enum {
	SAMPLE_NS = 20000, /* a short function is called repeatedly until a sample is this long */
	MAX_CALLS = 1 << 24,
	TRIES = 3,
	LONG_TRIES = 2, /* if a call is longer than LONG_NS */
	LONG_NS = 100000000,
	PREEMPTED_NS = 1000000,     /* a longer gap in a spin is the time slice of another thread */
	MAX_WINDOW_NS = 1000000000, /* the longest window in which interrupts are measured */
	WINDOWS = 8,                /* the least of fewer may exceed the loss within a sample */
	LONG_WINDOWS = 3,           /* long windows differ less, so fewer are enough */
	UNSEEN_NS = 50000000,       /* a sibling may become busy and idle within a longer sample */
	SWITCH_WAIT_NS = 300000000, /* how long to wait for context switches, to learn their cost */
	FIRST_SPIN_NS = 20000000,
	MAX_RAISED_NS = 50000000, /* other threads run at the end of the first sample after this */
	MANY_SWITCHES = 16,       /* each of fewer may have cost less than the least ever seen */
	FEW = 4, /* fewer than 1 undisturbed sample in FEW is too few to wait for */
};

static const double CONFIDENCE = 0.95;
/* Elapsed time may exceed CPU time by this: clocks are read in turn, kernel threads run briefly. */
static const double SLACK_NS = 2000, SLACK_RATIO = 1e-4;
static const double COLD_EPSILON = 0.01;      /* times from memory agree no better */
static const double NOTABLE_SLOWDOWN = 0.005; /* the reference loop itself varies as much */

struct sample {
	double ticks, cpu_ns; /* of all its calls, without the cost of reading the clock */
	uint64_t switches;    /* context switches */
	bool backwards;       /* the clock went backwards */
};

struct measurement {
	struct et_timebase *t;
	const struct etalon_kbest_opts *o;
	void (*fn)(void *);
	void *arg;
	uint32_t calls;            /* per sample */
	struct et_kbest_set clean; /* ticks of samples that were not preempted; mark: slowdown */
	struct et_kbest_set cpu;   /* CPU time of all samples, ns; mark: slowdown */
	struct et_loss loss;
	double spin_cpu_ns;   /* CPU time that the kernel charged for all spins */
	double switch_ns;     /* CPU time of one context switch */
	double switches;      /* in all samples */
	bool last_preempted;  /* the previous sample was preempted */
	unsigned preemptions; /* preempted samples, including the one that chose the calls */
	bool may_raise;       /* samples are preempted, and raising the priority is allowed */
	bool raised;          /* the priority is raised now */
	bool ever_raised;
	struct et_sched_policy saved; /* while raised */
	uint64_t raised_ns;           /* when it was raised */
	bool may_wait_tick; /* samples are long enough to begin them just after a timer interrupt */
	bool after_tick;    /* the current one does */
	double least_ns;    /* CPU time of the shortest sample */
	double slow_sum;    /* of the slowdown around each sample */
	uint64_t samples, preempted, elapsed_ns;
	bool backwards;
};

static void time_sample(const struct measurement *m, struct sample *s)
{
	const struct et_timebase *t = m->t;
	uint64_t switches, cpu, t0, t1;

	if (t->cache)
		et_cache_clear(t->cache);
	if (m->after_tick)
		t->wait_tick(t->ctx);
	switches = t->context_switches(t->ctx);
	cpu = t->cpu_ns(t->ctx);
	t0 = t->start(t->ctx);
	for (uint32_t i = 0; i < m->calls; i++)
		m->fn(m->arg);
	t1 = t->stop(t->ctx);
	cpu = t->cpu_ns(t->ctx) - cpu;
	s->switches = t->context_switches(t->ctx) - switches;
	s->backwards = t1 < t0;
	s->ticks = fmax((double)(t1 - t0) - t->overhead, 0);
	s->cpu_ns = fmax((double)cpu - t->cpu_overhead_ns, 0);
}

static double ns_of(const struct measurement *m, double ticks)
{
	return ticks / m->t->hz * 1e9;
}

/*
 * The share of the time of interrupts that the kernel charges to the thread's CPU time. It is 1, or
 * 0 with CONFIG_IRQ_TIME_ACCOUNTING, or between them if a hypervisor reports only a part as steal.
 */
static double charged_share(const struct measurement *m)
{
	double ran = ns_of(m, m->loss.all_ran), lost = ns_of(m, m->loss.all_lost);

	if (lost <= 0)
		return 0;
	return fmin(fmax((m->spin_cpu_ns - (ran - lost)) / lost, 0), 1);
}

/* The share of elapsed time that goes to interrupts and is not charged to the thread. */
static double uncharged_share(const struct measurement *m)
{
	return m->loss.all_ran > 0 ? (1 - charged_share(m)) * m->loss.all_lost / m->loss.all_ran
				   : 0;
}

/*
 * Whether another thread ran or the hypervisor took the CPU: more time passed than the thread was
 * charged. A context switch alone is no evidence: a kernel thread may run for a microsecond, which
 * disturbs no more than an interrupt does.
 */
static bool preempted(const struct measurement *m, const struct sample *s)
{
	double wall = ns_of(m, s->ticks);
	double slack = SLACK_NS + wall * (SLACK_RATIO + 2 * uncharged_share(m));

	return wall - s->cpu_ns > slack;
}

/*
 * Warms up and finds the number of calls that makes a sample long enough for the clock. The first
 * call may take far longer than the next (if it fills a table), and any may be preempted, so the
 * shortest of a few tries decides.
 */
static void choose_calls(struct measurement *m, struct sample *shortest)
{
	bool fixed = m->o->calls || m->t->cache;
	struct sample s;

	m->calls = m->o->calls ? m->o->calls : 1;
	for (int tries = 0;; tries++) {
		time_sample(m, &s);
		m->backwards |= s.backwards;
		if (!tries || s.ticks < shortest->ticks)
			*shortest = s;
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

/* Allows for one tick of rounding: a slow counter makes only a few ticks in the reference loop. */
static double slowdown_now(struct measurement *m)
{
	double ticks = et_timebase_reference_ticks(m->t);

	return m->t->full_speed_ticks > 0 ? fmax((ticks - 1) / m->t->full_speed_ticks - 1, 0) : 0;
}

/* Whether to compensate samples of this length for interrupts: most shorter ones contain none. */
static bool meets_interrupts(const struct measurement *m, double ns)
{
	return ns >= m->t->tick_ns / 16;
}

/*
 * Measures how much time interrupts take in a window like the sample: it begins as soon after a
 * timer interrupt and is as long as the shortest sample.
 */
static void measure_interrupts(struct measurement *m, double sample_ns)
{
	const struct et_timebase *t = m->t;
	uint64_t cpu;

	m->least_ns = fmin(m->least_ns, sample_ns);
	m->loss.window = fmin(m->least_ns, MAX_WINDOW_NS) * t->hz / 1e9;
	if (m->after_tick)
		t->wait_tick(t->ctx);
	cpu = t->cpu_ns(t->ctx);
	t->spin(t->ctx, &m->loss, (uint64_t)(2 * m->loss.window));
	m->spin_cpu_ns += (double)(t->cpu_ns(t->ctx) - cpu);
}

/* Spins without completing a window, to learn whether the kernel charges interrupts to threads. */
static void measure_charging(struct measurement *m)
{
	const struct et_timebase *t = m->t;
	uint64_t cpu = t->cpu_ns(t->ctx);

	m->loss.window = INFINITY;
	t->spin(t->ctx, &m->loss, (uint64_t)(FIRST_SPIN_NS * t->hz / 1e9));
	m->spin_cpu_ns += (double)(t->cpu_ns(t->ctx) - cpu);
}

static bool compensates_switches(const struct measurement *m, double switches)
{
	return m->o->compensate && switches >= MANY_SWITCHES;
}

/* Takes one sample, and measures the speed and the interrupts. Returns the slowdown. */
static double sample_observed(struct measurement *m, struct sample *s)
{
	double before = slowdown_now(m), slow;

	time_sample(m, s);
	slow = fmax(before, slowdown_now(m));
	if (m->o->compensate && meets_interrupts(m, s->cpu_ns))
		measure_interrupts(m, s->cpu_ns);
	return slow;
}

static void raise_priority(struct measurement *m)
{
	const struct et_timebase *t = m->t;

	if (!m->may_raise || m->raised)
		return;
	m->may_raise = m->raised = t->raise_priority(t->ctx, &m->saved);
	m->ever_raised |= m->raised;
	m->raised_ns = t->now_ns(t->ctx);
}

static void let_others_run(struct measurement *m)
{
	const struct et_timebase *t = m->t;

	if (!m->raised)
		return;
	t->restore_priority(t->ctx, &m->saved);
	t->yield(t->ctx);
	m->raised = false;
}

static double sample_undisturbed(struct measurement *m, struct sample *s)
{
	/* Yield first, so that the sample begins with a full time slice. */
	if (m->last_preempted)
		m->t->yield(m->t->ctx);
	raise_priority(m);
	/* Waiting for a tick would waste part of the time slice if the priority is not raised. */
	m->after_tick = m->may_wait_tick && (m->raised || !m->last_preempted);
	return sample_observed(m, s);
}

/*
 * Samples are preempted: learns what a context switch costs, and whether the priority may be
 * raised. A single preempted sample may be chance; it is enough only if samples take long.
 */
static void handle_preemption(struct measurement *m, const struct sample *s)
{
	if (++m->preemptions != (s->cpu_ns < LONG_NS ? 2 : 1))
		return;
	m->switch_ns = et_timebase_switch_ns(m->t, SWITCH_WAIT_NS);
	m->may_raise = m->t->raise_priority && m->o->priority == ETALON_PRIORITY_AUTO;
}

static void add_clean(struct measurement *m, double ticks, double slow)
{
	et_kbest_set_add(&m->clean, ticks, slow);
	if (m->t->cache)
		et_cache_note(m->t->cache, ticks);
}

static void take_sample(struct measurement *m)
{
	double slow, switch_ns;
	struct sample s;

	slow = sample_undisturbed(m, &s);
	m->backwards |= s.backwards;
	m->samples++;
	m->switches += (double)s.switches;
	m->slow_sum += fmin(slow, 2); /* more is an interrupt in the reference loop */
	m->last_preempted = preempted(m, &s);
	if (m->last_preempted)
		handle_preemption(m, &s);
	else
		add_clean(m, s.ticks, slow);
	m->preempted += m->last_preempted;
	switch_ns =
		compensates_switches(m, (double)s.switches) ? m->switch_ns * (double)s.switches : 0;
	et_kbest_set_add(&m->cpu, fmax(s.cpu_ns - switch_ns, 0), slow);
}

/*
 * The slowdown around the shortest sample. If K samples agree, all of them ran at the same speed,
 * so the smallest slowdown among them holds.
 */
static double best_slowdown(const struct measurement *m, const struct et_kbest_set *s)
{
	double mark = s->mark[0];

	if (!et_kbest_converged(s, m->o->epsilon))
		return mark;
	for (size_t i = 1; i < s->k; i++)
		mark = fmin(mark, s->mark[i]);
	return mark;
}

static bool agreed_at_full_speed(const struct measurement *m, const struct et_kbest_set *s)
{
	return et_kbest_converged(s, m->o->epsilon) && best_slowdown(m, s) <= NOTABLE_SLOWDOWN;
}

/* Whether undisturbed samples are so rare that the result must be CPU time. */
static bool mostly_preempted(const struct measurement *m)
{
	return m->o->clock == ETALON_CLOCK_CPU ||
	       (m->preempted > m->o->k && m->clean.n * FEW <= m->samples);
}

/* Whether the result is the CPU time. */
static bool judged_by_cpu(const struct measurement *m)
{
	if (m->o->clock == ETALON_CLOCK_CPU || m->clean.n == 0)
		return true;
	return mostly_preempted(m) &&
	       (m->clean.n < m->o->k ||
		       (!agreed_at_full_speed(m, &m->clean) && agreed_at_full_speed(m, &m->cpu)));
}

static bool enough_windows(const struct measurement *m)
{
	return m->loss.best.n >= (et_loss_long(&m->loss) ? LONG_WINDOWS : WINDOWS);
}

/*
 * Whether the figures that compensation rests on are settled: the shortest samples and the smallest
 * losses must each agree, so that a single lucky value does not decide. If most samples are
 * preempted, no window is undisturbed either, and there is nothing to wait for.
 */
static bool compensation_settled(const struct measurement *m)
{
	double most = m->o->epsilon * m->clean.value[0];

	if (!m->o->compensate || mostly_preempted(m) ||
		!meets_interrupts(m, ns_of(m, m->clean.value[0])))
		return true;
	return enough_windows(m) && et_kbest_reach(&m->clean) <= most &&
	       et_kbest_reach(&m->loss.best) <= most;
}

/* A cold cache is judged by the median, which settles before the shortest samples agree. */
static bool median_settled(const struct measurement *m)
{
	double half_width, median = et_cache_median(m->t->cache, &half_width);

	return half_width <= fmax(m->o->epsilon, COLD_EPSILON) * median;
}

static bool finished(const struct measurement *m)
{
	const struct etalon_kbest_opts *o = m->o;

	if (m->samples >= o->max_samples)
		return true;
	if (m->samples < o->k)
		return false;
	if (o->limit_ns && m->elapsed_ns >= o->limit_ns)
		return true;
	if (m->elapsed_ns < o->least_ns)
		return false;
	if (m->t->cache && median_settled(m))
		return true;
	return (o->clock != ETALON_CLOCK_CPU && agreed_at_full_speed(m, &m->clean) &&
		       compensation_settled(m)) ||
	       (mostly_preempted(m) && agreed_at_full_speed(m, &m->cpu));
}

/* The least time that interrupts take of the shortest sample, in ns, and its uncertainty. */
static double least_loss(
	const struct measurement *m, double best_ns, bool by_cpu, double *uncertainty)
{
	double least = et_loss_least(&m->loss, uncertainty);
	double scale = fmax(best_ns / MAX_WINDOW_NS, 1) * (by_cpu ? charged_share(m) : 1);

	*uncertainty = ns_of(m, *uncertainty) * scale;
	return ns_of(m, least) * scale;
}

/*
 * The smallest cost of a context switch is known; a typical one is assumed to cost twice as much.
 * The time to refill the caches after a switch is not included anywhere.
 */
static double switch_error_ns(const struct measurement *m)
{
	double per_sample = m->switches / (double)m->samples;

	return m->switch_ns * per_sample * (compensates_switches(m, per_sample) ? 1 : 2);
}

static void judge_interrupts(const struct measurement *m, double best_ns, bool by_cpu,
	double *value_ns, double *error_ns, struct etalon_kbest_result *r)
{
	double uncertainty = 0, least = 0;

	if (!meets_interrupts(m, best_ns))
		return;
	if (m->loss.best.n)
		least = least_loss(m, best_ns, by_cpu, &uncertainty);
	else
		r->warnings |= ETALON_WARNING_NO_TICK_COST;
	if (!enough_windows(m)) {
		uncertainty += 2 * least;
		least = 0;
	}
	if (uncertainty > m->o->epsilon * best_ns)
		r->warnings |= ETALON_WARNING_INTERRUPTS;
	least = fmin(least, best_ns);
	r->compensated_ns = least / m->calls;
	*value_ns -= least;
	*error_ns += uncertainty;
}

static void judge_speed(const struct measurement *m, const struct et_kbest_set *best,
	double best_ns, double *error_ns, struct etalon_kbest_result *r)
{
	r->slowdown = best_slowdown(m, best);
	/*
	 * A sample longer than UNSEEN_NS may have been slowed by the hyper-thread sibling between
	 * the two reference loops around it. K samples that agree are unlikely to have been slowed
	 * equally, so widen the error only if the result has not converged.
	 */
	if (best_ns > UNSEEN_NS && !r->converged)
		r->slowdown = fmax(r->slowdown, m->slow_sum / (double)m->samples);
	if (r->slowdown <= NOTABLE_SLOWDOWN)
		return;
	r->warnings |= ETALON_WARNING_SLOW;
	*error_ns += r->slowdown * best_ns;
}

static void judge(const struct measurement *m, struct etalon_kbest_result *r)
{
	const struct et_timebase *t = m->t;
	bool by_cpu = judged_by_cpu(m);
	const struct et_kbest_set *best = by_cpu ? &m->cpu : &m->clean;
	double best_ns = by_cpu ? best->value[0] : ns_of(m, best->value[0]);
	double value_ns = best_ns, error_ns;
	double overhead_u = by_cpu ? t->cpu_uncertainty_ns : ns_of(m, t->overhead_uncertainty);

	r->converged = et_kbest_converged(best, m->o->epsilon);
	r->clock = by_cpu ? ETALON_CLOCK_CPU : t->clock;
	r->spread = et_kbest_spread(best);
	error_ns = et_kbest_error(best, CONFIDENCE) * best_ns;
	if (t->cache && !by_cpu) {
		r->converged = median_settled(m);
		value_ns = best_ns = ns_of(m, et_cache_median(t->cache, &error_ns));
		error_ns = ns_of(m, error_ns);
	}
	r->warnings |= t->warnings | (r->converged ? 0 : ETALON_WARNING_SPREAD);
	if (by_cpu && m->o->clock != ETALON_CLOCK_CPU)
		r->warnings |= ETALON_WARNING_PREEMPTED;
	error_ns += 2 * overhead_u + ns_of(m, 1) + 2 * t->hz_uncertainty / t->hz * best_ns;
	if (by_cpu)
		error_ns += switch_error_ns(m);
	judge_interrupts(m, best_ns, by_cpu, &value_ns, &error_ns, r);
	judge_speed(m, best, best_ns, &error_ns, r);
	if (value_ns < 10 * overhead_u)
		r->warnings |= ETALON_WARNING_OVERHEAD;
	r->ns = value_ns / m->calls;
	r->ticks = r->ns * t->hz / 1e9;
	r->error = value_ns > 0 ? error_ns / value_ns : INFINITY;
	r->overhead_ns = by_cpu ? t->cpu_overhead_ns : ns_of(m, t->overhead);
	r->overhead_uncertainty_ns = overhead_u;
	r->unit = t->unit;
	r->hz = t->hz;
	r->hz_uncertainty = t->hz_uncertainty;
	r->samples = m->samples;
	r->preempted = m->preempted;
	r->calls = m->calls;
	r->elapsed_ns = m->elapsed_ns;
	r->realtime = m->ever_raised;
}

/*
 * Whether the next sample is not due yet. Samples that follow each other at once would all meet the
 * same disturbance, so they are spread over least_ns; meanwhile the reference loop runs, to find
 * the full speed.
 */
static bool ahead_of_schedule(struct measurement *m)
{
	double due = (double)m->o->least_ns * (double)m->samples / m->o->max_samples;

	if (m->o->limit_ns)
		due = fmin(due, (double)m->o->limit_ns);
	if ((double)m->elapsed_ns >= due)
		return false;
	et_timebase_reference_ticks(m->t);
	return true;
}

static void sample_all(struct measurement *m)
{
	const struct et_timebase *t = m->t;
	struct sample s;
	uint64_t first;

	choose_calls(m, &s);
	m->least_ns = s.cpu_ns;
	et_loss_init(&m->loss, t->hz, (uint64_t)fmin(s.cpu_ns, MAX_WINDOW_NS), PREEMPTED_NS);
	m->may_wait_tick = m->o->compensate && t->wait_tick && s.cpu_ns > t->tick_ns / 2;
	if (m->o->compensate && meets_interrupts(m, s.cpu_ns))
		measure_charging(m);
	m->last_preempted = preempted(m, &s);
	if (m->last_preempted)
		handle_preemption(m, &s);
	first = t->now_ns(t->ctx);
	while (!m->backwards && !finished(m)) {
		take_sample(m);
		if (t->now_ns(t->ctx) - m->raised_ns >= MAX_RAISED_NS)
			let_others_run(m);
		while (m->elapsed_ns = t->now_ns(t->ctx) - first, ahead_of_schedule(m))
			let_others_run(m);
	}
	let_others_run(m);
}

int et_kbest_measure(struct et_timebase *t, struct et_timebase *other, void (*fn)(void *),
	void *arg, const struct etalon_kbest_opts *o, struct etalon_kbest_result *out)
{
	struct etalon_kbest_result r = { .sz = sizeof(r) };
	struct measurement m = { .t = t, .o = o, .fn = fn, .arg = arg };

	et_kbest_set_init(&m.clean, o->k);
	et_kbest_set_init(&m.cpu, o->k);
	sample_all(&m);
	if (m.backwards) {
		if (!other)
			return ETALON_BAD_CLOCK;
		other->warnings |= ETALON_WARNING_BACKWARDS;
		return et_kbest_measure(other, NULL, fn, arg, o, out);
	}
	judge(&m, &r);
	*out = r;
	return r.converged ? ETALON_OK : ETALON_NOT_CONVERGED;
}
