/* SPDX-License-Identifier: MIT */
/*
 * K-best for a function: takes samples until the K shortest agree. This extends the published
 * scheme. It detects preempted samples by the thread's CPU time, falls back to CPU time if almost
 * all are preempted, subtracts the smallest loss to interrupts that a window of the same length
 * had, monitors the processor's speed, and predicts its error. Nothing here allocates, prints or
 * locks.
 */
#include "lib/kbest.h"
#include "lib/cache.h"
#include "lib/sampler.h"

#include <math.h>
#include <string.h>

enum {
	SAMPLE_NS = 20000, /* a short function is called repeatedly until a sample is this long */
	MAX_CALLS = 1 << 24,
	TRIES = 3,
	LONG_TRIES = 2, /* if a call is longer than LONG_NS */
	LONG_NS = 100000000,
	UNSEEN_NS = 50000000, /* a sibling may become busy and idle within a longer sample */
	MANY_SWITCHES = 16,   /* each of fewer may have cost less than the least ever seen */
	FEW = 4,              /* fewer than 1 undisturbed sample in FEW is too few to wait for */
};

static const double CONFIDENCE = 0.95;
static const double COLD_EPSILON = 0.01; /* times from memory agree no better */

struct measurement {
	struct et_sampler s;
	const struct etalon_kbest_opts *o;
	void (*fn)(void *);
	void *arg;
	uint32_t calls;            /* per sample */
	struct et_kbest_set clean; /* ticks of samples that were not preempted; mark: slowdown */
	struct et_kbest_set cpu;   /* CPU time of all samples, ns; mark: slowdown */
	double switches;           /* in all samples */
	double slow_sum;           /* of the slowdown around each sample */
	uint64_t samples, preempted, elapsed_ns;
	bool backwards;
};

static void time_sample(struct measurement *m, struct et_timed *x)
{
	et_sampler_start(&m->s);
	for (uint32_t i = 0; i < m->calls; i++)
		m->fn(m->arg);
	et_sampler_stop(&m->s, x);
	m->backwards |= x->backwards;
}

static double ns_of(const struct measurement *m, double ticks)
{
	return et_sampler_ns(&m->s, ticks);
}

/*
 * Warms up and finds the number of calls that makes a sample long enough for the clock. The first
 * call may take far longer than the next (if it fills a table), and any may be preempted, so the
 * shortest of a few tries decides.
 */
static void choose_calls(struct measurement *m, struct et_timed *shortest)
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

static bool compensates_switches(const struct measurement *m, double switches)
{
	return m->o->compensate && switches >= MANY_SWITCHES;
}

static void add_clean(struct measurement *m, const struct et_timed *x)
{
	et_kbest_set_add(&m->clean, x->ticks, x->slowdown);
	if (m->s.t->cache)
		et_cache_note(m->s.t->cache, x->ticks);
}

static void take_sample(struct measurement *m)
{
	double switch_ns;
	struct et_timed x;

	et_sampler_ready(&m->s);
	time_sample(m, &x);
	et_sampler_observed(&m->s, &x);
	if (m->o->compensate && et_sampler_meets_interrupts(&m->s, x.cpu_ns))
		et_sampler_interrupts(&m->s, x.cpu_ns);
	m->samples++;
	m->switches += (double)x.switches;
	m->slow_sum += fmin(x.slowdown, 2); /* more is an interrupt in the reference loop */
	if (!x.preempted)
		add_clean(m, &x);
	m->preempted += x.preempted;
	switch_ns = compensates_switches(m, (double)x.switches)
			    ? m->s.switch_ns * (double)x.switches
			    : 0;
	et_kbest_set_add(&m->cpu, fmax(x.cpu_ns - switch_ns, 0), x.slowdown);
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
	return et_kbest_converged(s, m->o->epsilon) && best_slowdown(m, s) <= ET_NOTABLE_SLOWDOWN;
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

/*
 * Whether the figures that compensation rests on are settled: the shortest samples and the smallest
 * losses must each agree, so that a single lucky value does not decide. If most samples are
 * preempted, no window is undisturbed either, and there is nothing to wait for.
 */
static bool compensation_settled(const struct measurement *m)
{
	double most = m->o->epsilon * m->clean.value[0];

	if (!m->o->compensate || mostly_preempted(m) ||
		!et_sampler_meets_interrupts(&m->s, ns_of(m, m->clean.value[0])))
		return true;
	return et_sampler_enough_windows(&m->s) && et_kbest_reach(&m->clean) <= most &&
	       et_kbest_reach(&m->s.loss.best) <= most;
}

/* A cold cache is judged by the median, which settles before the shortest samples agree. */
static bool median_settled(const struct measurement *m)
{
	double half_width, median = et_cache_median(m->s.t->cache, &half_width);

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
	if (m->s.t->cache && median_settled(m))
		return true;
	return (o->clock != ETALON_CLOCK_CPU && agreed_at_full_speed(m, &m->clean) &&
		       compensation_settled(m)) ||
	       (mostly_preempted(m) && agreed_at_full_speed(m, &m->cpu));
}

/*
 * The smallest cost of a context switch is known; a typical one is assumed to cost twice as much.
 * The time to refill the caches after a switch is not included anywhere.
 */
static double switch_error_ns(const struct measurement *m)
{
	double per_sample = m->switches / (double)m->samples;

	return m->s.switch_ns * per_sample * (compensates_switches(m, per_sample) ? 1 : 2);
}

static void judge_interrupts(const struct measurement *m, double best_ns, bool by_cpu,
	double *value_ns, double *error_ns, struct etalon_kbest_result *r)
{
	double uncertainty = 0, least = 0;

	if (!et_sampler_meets_interrupts(&m->s, best_ns))
		return;
	if (m->s.loss.best.n)
		least = et_sampler_least_loss(&m->s, best_ns, by_cpu, &uncertainty);
	else
		r->warnings |= ETALON_WARNING_NO_TICK_COST;
	if (!et_sampler_enough_windows(&m->s)) {
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
	if (r->slowdown <= ET_NOTABLE_SLOWDOWN)
		return;
	r->warnings |= ETALON_WARNING_SLOW;
	*error_ns += r->slowdown * best_ns;
}

static void judge(const struct measurement *m, struct etalon_kbest_result *r)
{
	const struct et_timebase *t = m->s.t;
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
	r->realtime = m->s.ever_raised;
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
	et_timebase_reference_ticks(m->s.t);
	return true;
}

static void sample_all(struct measurement *m)
{
	const struct et_timebase *t = m->s.t;
	struct et_timed x;
	uint64_t first;

	choose_calls(m, &x);
	et_sampler_expect(&m->s, &x);
	first = t->now_ns(t->ctx);
	while (!m->backwards && !finished(m)) {
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
	struct measurement m = { .o = o, .fn = fn, .arg = arg };

	et_sampler_init(&m.s, t, o);
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
