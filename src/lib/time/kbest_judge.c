/* SPDX-License-Identifier: MIT */
#include "lib/time/kbest_judge.h"
#include "lib/time/cache.h"
#include "num/quantile.h"

#include <math.h>

enum {
	UNSEEN_NS = 50000000, /* a sibling may become busy and idle within a longer sample */
	MANY_SWITCHES = 16,   /* each of fewer may have cost less than the least ever seen */
	FEW = 4,              /* fewer than 1 undisturbed sample in FEW is too few to wait for */
	FLOOR_SAMPLES = 512,  /* enough for the median, if the shortest samples are no floor */
	LEAST_VALUES = 3,
	PHASE_NS = 10000000, /* a sibling is busy or idle for about this time, or longer */
};

static const double CONFIDENCE = 0.95;
static const double MEDIAN_EPSILON = 0.01; /* times from memory agree no better */
static const double ASSUMED_LOSS = 0.02;   /* share of interrupts, if it was not measured */

static double ns_of(const struct et_kbest_run *m, double ticks)
{
	return et_sampler_ns(&m->s, ticks);
}

bool et_kbest_compensates_switches(const struct et_kbest_run *m, double switches)
{
	return m->o->compensate && switches >= MANY_SWITCHES;
}

/*
 * The slowdown around the shortest sample. If K samples agree, all of them ran at the same speed,
 * so the smallest slowdown among them holds.
 */
static double best_slowdown(const struct et_kbest_run *m, const struct et_kbest_set *s)
{
	double mark = s->mark[0];

	if (!et_kbest_converged(s, m->o->epsilon))
		return mark;
	for (size_t i = 1; i < s->k; i++)
		mark = fmin(mark, s->mark[i]);
	return mark;
}

/*
 * The shortest samples. Those at full speed are preferred, if K of them agree: some functions are
 * shorter while the reference loop is slow. The loops around a long sample do not tell its speed.
 */
static const struct et_kbest_set *best_set(const struct et_kbest_run *m)
{
	if (et_kbest_converged(&m->full, m->o->epsilon) && ns_of(m, m->full.value[0]) <= UNSEEN_NS)
		return &m->full;
	return &m->clean;
}

static bool agreed_at_full_speed(const struct et_kbest_run *m, const struct et_kbest_set *s)
{
	return et_kbest_converged(s, m->o->epsilon) && best_slowdown(m, s) <= ET_NOTABLE_SLOWDOWN;
}

/* Whether undisturbed samples are so rare that the result must be CPU time. */
static bool mostly_preempted(const struct et_kbest_run *m)
{
	return m->o->clock == ETALON_CLOCK_CPU ||
	       (m->preempted > m->o->k && m->clean.n * FEW <= m->samples);
}

/* Whether the result is the CPU time. */
static bool judged_by_cpu(const struct et_kbest_run *m)
{
	if (m->o->clock == ETALON_CLOCK_CPU || m->clean.n == 0)
		return true;
	return mostly_preempted(m) &&
	       (m->clean.n < m->o->k ||
		       (!agreed_at_full_speed(m, best_set(m)) && agreed_at_full_speed(m, &m->cpu)));
}

/*
 * Whether the figures that compensation rests on are settled: the shortest samples and the smallest
 * losses must each agree, so that a single lucky value does not decide. If most samples are
 * preempted, no window is undisturbed either, and there is nothing to wait for.
 */
static bool compensation_settled(const struct et_kbest_run *m)
{
	const struct et_kbest_set *best = best_set(m);
	double most = m->o->epsilon * best->value[0];

	if (!m->o->compensate || mostly_preempted(m) ||
		!et_sampler_meets_interrupts(&m->s, ns_of(m, best->value[0])))
		return true;
	return et_sampler_enough_windows(&m->s) && et_kbest_reach(best) <= most &&
	       et_kbest_reach(&m->s.loss.best) <= most;
}

/* A cold cache is judged by the median, which settles before the shortest samples agree. */
static bool median_settled(const struct et_kbest_run *m)
{
	double half_width, median = et_cache_median(m->s.t->cache, &half_width);

	return half_width <= fmax(m->o->epsilon, MEDIAN_EPSILON) * median;
}

bool et_kbest_finished(const struct et_kbest_run *m)
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
	if (m->below_floor && m->samples >= FLOOR_SAMPLES)
		return true;
	return (o->clock != ETALON_CLOCK_CPU && agreed_at_full_speed(m, best_set(m)) &&
		       compensation_settled(m)) ||
	       (mostly_preempted(m) && agreed_at_full_speed(m, &m->cpu));
}

/*
 * The smallest cost of a context switch is known; a typical one is assumed to cost twice as much.
 * The time to refill the caches after a switch is not included anywhere.
 */
static double switch_error_ns(const struct et_kbest_run *m)
{
	double per_sample = m->switches / (double)m->samples;

	return m->s.switch_ns * per_sample * (et_kbest_compensates_switches(m, per_sample) ? 1 : 2);
}

static void judge_interrupts(const struct et_kbest_run *m, double best_ns, bool by_cpu,
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

/*
 * How much longer the shortest sample may be because the processor was slow. A sample longer than
 * UNSEEN_NS may be slowed between the two reference loops around it, and these may be slow only
 * around it. But a sibling that slows samples down at times makes them differ: in a sample with n
 * phases in which it is busy or idle, by about the whole slowdown divided by the root of n.
 */
static double possible_slowdown(const struct et_kbest_run *m, const struct et_kbest_set *best,
	double best_ns, const struct etalon_kbest_result *r)
{
	double mean = m->slow_sum / (double)m->samples, slow = best_slowdown(m, best);
	double sd;

	if (best_ns <= UNSEEN_NS || best->kept < LEAST_VALUES || best->value[0] <= 0)
		return slow;
	slow = r->converged ? slow : fmax(slow, mean);
	/* The three least of 10 to 40 normal values span two thirds of their sd, about. */
	sd = 1.5 * (best->value[LEAST_VALUES - 1] - best->value[0]) / best->value[0];
	return fmax(fmin(slow, m->slow_least), fmin(slow, sd * sqrt(best_ns / PHASE_NS)));
}

static void judge_speed(const struct et_kbest_run *m, const struct et_kbest_set *best,
	double best_ns, double *error_ns, struct etalon_kbest_result *r)
{
	r->slowdown = possible_slowdown(m, best, best_ns, r);
	if (r->slowdown <= ET_NOTABLE_SLOWDOWN)
		return;
	r->warnings |= ETALON_WARNING_SLOW;
	*error_ns += r->slowdown * best_ns;
}

static double lost_share(const struct et_kbest_run *m)
{
	const struct et_loss *l = &m->s.loss;

	if (m->idle_ran > 0)
		return m->idle_lost / m->idle_ran;
	return l->all_ran > 0 ? l->all_lost / l->all_ran : ASSUMED_LOSS;
}

/* Chooses another figure than the shortest if that is no floor, or if calls differ. In ticks. */
static void judge_floor(
	struct et_kbest_run *m, double *value, double *error, struct etalon_kbest_result *r)
{
	double mean, mean_error;

	if (et_kept_below_floor(&m->kept, m->o->epsilon)) {
		size_t n = et_kept_sort(&m->kept, ET_KEPT_FULL_SPEED);

		r->statistic = ETALON_MEDIAN;
		r->warnings |= ETALON_WARNING_BELOW_FLOOR;
		*value = et_kept_median(m->kept.sorted, n, error);
		r->converged = *error <= fmax(m->o->epsilon, MEDIAN_EPSILON) * *value;
	} else if (et_kept_calls_differ(&m->kept, lost_share(m), &mean, &mean_error)) {
		r->statistic = ETALON_MEAN;
		r->warnings |= ETALON_WARNING_CALLS_DIFFER;
		*value = mean;
		*error = mean_error;
	}
}

/* The result before costs are subtracted, in ns per sample, and its error. */
static double judge_value(struct et_kbest_run *m, const struct et_kbest_set *best, bool by_cpu,
	double *error_ns, struct etalon_kbest_result *r)
{
	double value = best->value[0], error = et_kbest_error(best, CONFIDENCE) * value;

	r->statistic = ETALON_BEST;
	r->converged = et_kbest_converged(best, m->o->epsilon);
	if (m->s.t->cache && !by_cpu) {
		r->statistic = ETALON_MEDIAN;
		r->converged = median_settled(m);
		value = et_cache_median(m->s.t->cache, &error);
	} else if (!by_cpu) {
		judge_floor(m, &value, &error, r);
	}
	*error_ns = by_cpu ? error : ns_of(m, error);
	return by_cpu ? value : ns_of(m, value);
}

/* Quantiles of the samples, and the samples themselves if the caller has room for them. */
static void describe(struct et_kbest_run *m, bool by_cpu, struct etalon_kbest_result *r)
{
	size_t n = et_kept_sort(&m->kept, by_cpu ? ET_KEPT_CPU : ET_KEPT_CLEAN), i;
	double scale = (by_cpu ? 1 : 1e9 / m->s.t->hz) / m->calls, error;
	const double *x = m->kept.sorted;

#define PER_CALL(ticks) fmax((ticks)*scale - m->empty.ns, 0)
	r->min_ns = PER_CALL(et_quantile_sorted(x, n, 0));
	r->p10_ns = PER_CALL(et_quantile_sorted(x, n, 0.1));
	r->q1_ns = PER_CALL(et_quantile_sorted(x, n, 0.25));
	r->median_ns = PER_CALL(et_quantile_sorted(x, n, 0.5));
	r->q3_ns = PER_CALL(et_quantile_sorted(x, n, 0.75));
	r->p90_ns = PER_CALL(et_quantile_sorted(x, n, 0.9));
	r->mean_ns = PER_CALL(et_kept_mean(x, n, &error));
	for (i = 0; m->o->sample_ns && i < m->kept.n && i < m->o->sample_capacity; i++) {
		const struct et_kept_sample *k = &m->kept.list[i];

		m->o->sample_ns[i] = PER_CALL(by_cpu ? k->cpu_ns : k->ticks);
	}
	r->sample_n = i;
#undef PER_CALL
}

static void report_run(const struct et_kbest_run *m, bool by_cpu, struct etalon_kbest_result *r)
{
	const struct et_timebase *t = m->s.t;

	r->clock = by_cpu ? ETALON_CLOCK_CPU : t->clock;
	r->overhead_ns = by_cpu ? t->cpu_overhead_ns : ns_of(m, t->overhead);
	r->unit = t->unit;
	r->hz = t->hz;
	r->hz_uncertainty = t->hz_uncertainty;
	r->samples = m->samples;
	r->preempted = m->preempted;
	r->calls = m->calls;
	r->elapsed_ns = m->elapsed_ns;
	r->realtime = m->s.ever_raised;
	r->empty_ns = m->empty.ns;
	r->empty_uncertainty_ns = m->empty.uncertainty_ns;
}

void et_kbest_judge(struct et_kbest_run *m, struct etalon_kbest_result *r)
{
	const struct et_timebase *t = m->s.t;
	bool by_cpu = judged_by_cpu(m);
	const struct et_kbest_set *best = by_cpu ? &m->cpu : best_set(m);
	double overhead_u = by_cpu ? t->cpu_uncertainty_ns : ns_of(m, t->overhead_uncertainty);
	double error_ns, best_ns = judge_value(m, best, by_cpu, &error_ns, r), value_ns = best_ns;

	report_run(m, by_cpu, r);
	r->spread = et_kbest_spread(best);
	r->warnings |= t->warnings | (r->converged ? 0 : ETALON_WARNING_SPREAD);
	if (by_cpu && m->o->clock != ETALON_CLOCK_CPU)
		r->warnings |= ETALON_WARNING_PREEMPTED;
	error_ns += 2 * overhead_u + ns_of(m, 1) + 2 * t->hz_uncertainty / t->hz * best_ns;
	if (by_cpu)
		error_ns += switch_error_ns(m);
	judge_interrupts(m, best_ns, by_cpu, &value_ns, &error_ns, r);
	judge_speed(m, best, best_ns, &error_ns, r);
	r->ns = fmax(value_ns / m->calls - m->empty.ns, 0);
	r->error_ns = error_ns / m->calls + 2 * m->empty.uncertainty_ns;
	if (value_ns < 10 * overhead_u || r->ns < 3 * m->empty.uncertainty_ns)
		r->warnings |= ETALON_WARNING_OVERHEAD;
	r->ticks = r->ns * t->hz / 1e9;
	r->error = r->ns > 0 ? r->error_ns / r->ns : INFINITY;
	r->overhead_uncertainty_ns = overhead_u;
	describe(m, by_cpu, r);
}
