/* SPDX-License-Identifier: MIT */
#include "lib/time/cache.h"
#include "lib/time/kbest.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNSEEN_NS = 50000000, /* a sibling may become busy and idle within a longer sample */
	MANY_SWITCHES = 16,   /* each of fewer may have cost less than the least ever seen */
	FEW = 4,              /* fewer than 1 undisturbed sample in FEW is too few to wait for */
	FLOOR_SAMPLES = 512,  /* enough for the median, if the shortest samples are no floor */
	LEAST_VALUES = 3,
	PHASE_NS = 10000000, /* a sibling is busy or idle for about this time, or longer */
	MOST_KEPT = 1 << 16,
	FEW_FULL = 20, /* too few samples at full speed to have a 5 % quantile */
	FEW_SLOW = 8,
	FEW_GROUPS = 50, /* too few samples to find groups in */
	LEAST_GROUP = 5, /* samples in a group, at least, and 1 % of all */
};

static const double CONFIDENCE = 0.95;
static const double MEDIAN_EPSILON = 0.01; /* times from memory agree no better */
static const double ASSUMED_LOSS = 0.02;   /* share of interrupts, if it was not measured */
static const double LEAST_GAP = 1.25;      /* ratio between groups of calls that differ */
static const double LEAST_EXCESS = 0.02;   /* of the longer group, in relation to the shorter */
static const double LEAST_CHANGES = 0.7;   /* of those that independent samples have */
static const double LEAST_BELOW = 0.002;   /* times closer to the floor are not below it */
static const double NORMAL_99 = 2.326348;  /* quantile of the normal distribution */

/* --- all samples --- */

int et_kept_init(struct et_kept_samples *s, size_t samples, const struct et_sampler *sampler)
{
	*s = (struct et_kept_samples){ .stride = 1,
		.sampler = sampler,
		.capacity = samples < MOST_KEPT ? samples : MOST_KEPT };
	s->list = malloc(s->capacity * sizeof(*s->list));
	s->sorted = malloc(s->capacity * sizeof(*s->sorted));
	if (!s->list || !s->sorted) {
		et_kept_free(s);
		return ETALON_NO_MEMORY;
	}
	/* Touch the pages now, so that no sample does. */
	memset(s->list, 0xff, s->capacity * sizeof(*s->list));
	memset(s->sorted, 0xff, s->capacity * sizeof(*s->sorted));
	return ETALON_OK;
}

void et_kept_free(struct et_kept_samples *s)
{
	free(s->list);
	free(s->sorted);
	*s = (struct et_kept_samples){ 0 };
}

static void keep_half(struct et_kept_samples *s)
{
	for (size_t i = 0; 2 * i < s->n; i++)
		s->list[i] = s->list[2 * i];
	s->n = (s->n + 1) / 2;
	s->stride *= 2;
}

void et_kept_add(struct et_kept_samples *s, const struct et_timed *x)
{
	if (s->skipped++ % s->stride)
		return;
	if (s->n == s->capacity) {
		if (s->capacity < 2)
			return;
		keep_half(s);
	}
	s->list[s->n++] = (struct et_kept_sample){
		.ticks = x->ticks,
		.cpu_ns = x->cpu_ns,
		.reference = x->reference,
		.preempted = x->preempted,
	};
}

bool et_kept_at_full_speed(const struct et_kept_samples *s, const struct et_kept_sample *x)
{
	return !x->preempted &&
	       et_sampler_slowdown(s->sampler, x->reference) <= ET_NOTABLE_SLOWDOWN;
}

/* Which samples to look at. */
enum kept_which {
	KEPT_FULL_SPEED, /* neither preempted nor slowed */
	KEPT_CLEAN,      /* not preempted */
	KEPT_CPU,        /* the CPU time of all, in ns */
};

/* Sorts their times into s->sorted and returns how many there are. */
static size_t sort_kept(struct et_kept_samples *s, enum kept_which which)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct et_kept_sample *x = &s->list[i];

		if (which == KEPT_CPU)
			s->sorted[n++] = x->cpu_ns;
		else if (which == KEPT_CLEAN ? !x->preempted : et_kept_at_full_speed(s, x))
			s->sorted[n++] = x->ticks;
	}
	et_sort(s->sorted, n);
	return n;
}

/* The mean of times, and twice its standard error. */
static double mean_of(const double *x, size_t n, double *error)
{
	*error = n > 1 ? 2 * et_sd(x, n) / sqrt((double)n) : INFINITY;
	return et_mean(x, n);
}

/* The median of sorted times, and the half width of its 95 % interval; infinite if n is small. */
static double median_of(const double *sorted, size_t n, double *error)
{
	/* The ranks of a sign test: n/2 -+ 1.96 sqrt(n)/2. */
	double half = 0.98 * sqrt((double)n) + 1, middle = ((double)n - 1) / 2;

	if (middle - half < 0)
		*error = INFINITY;
	else
		*error =
			(sorted[(size_t)ceil(middle + half)] - sorted[(size_t)(middle - half)]) / 2;
	return et_median_sorted(sorted, n);
}

bool et_kept_below_floor(struct et_kept_samples *s, double epsilon)
{
	size_t full = sort_kept(s, KEPT_FULL_SPEED), slow = 0, below = 0;

	if (full < FEW_FULL)
		return false;
	double floor = et_quantile_sorted(s->sorted, full, 0.05) * (1 - fmax(epsilon, LEAST_BELOW));
	for (size_t i = 0; i < s->n; i++) {
		const struct et_kept_sample *x = &s->list[i];

		if (x->preempted || et_kept_at_full_speed(s, x))
			continue;
		slow++;
		below += x->ticks < floor;
	}
	double by_chance = 0.05 * (double)slow, sd = sqrt(0.05 * 0.95 * (double)slow);
	return slow >= FEW_SLOW && (double)below > 3 * by_chance &&
	       (double)below > by_chance + NORMAL_99 * sd + 1;
}

/* The number of samples in the shorter group, or 0: the widest gap divides the groups. */
static size_t shorter_group(const double *sorted, size_t n)
{
	size_t least = n / 100 > LEAST_GROUP ? n / 100 : LEAST_GROUP, at = 0;
	double widest = LEAST_GAP;

	for (size_t i = least; i + least <= n; i++) {
		if (sorted[i] >= widest * sorted[i - 1]) {
			widest = sorted[i] / sorted[i - 1];
			at = i;
		}
	}
	return at;
}

/*
 * Whether the groups alternate as often as independent samples do. A disturbance that the reference
 * loop does not show lasts for many samples.
 */
static bool groups_alternate(const struct et_kept_samples *s, double limit, double longer_share)
{
	size_t n = 0, changes = 0;
	bool last = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct et_kept_sample *x = &s->list[i];

		if (!et_kept_at_full_speed(s, x))
			continue;
		changes += n++ && (x->ticks >= limit) != last;
		last = x->ticks >= limit;
	}
	return (double)changes >= LEAST_CHANGES * 2 * longer_share * (1 - longer_share) * (double)n;
}

/*
 * The share of all samples in the longer group. Long samples are more likely to be disturbed, so
 * that those at full speed contain too few of them; CPU time and slowdown tell the group of the
 * others.
 */
static double longer_share(const struct et_kept_samples *s, double limit)
{
	double limit_ns = et_sampler_ns(s->sampler, limit);
	size_t longer = 0;

	for (size_t i = 0; i < s->n; i++) {
		double slow = et_sampler_slowdown(s->sampler, s->list[i].reference);

		longer += s->list[i].cpu_ns / (1 + fmin(slow, 1)) >= limit_ns;
	}
	return (double)longer / (double)s->n;
}

/*
 * Whether calls differ systematically: times fall into two groups with a wide gap between them, the
 * groups alternate, and the longer ones take more than interrupts, which take lost_share of any
 * time, explain. *mean is the mean of all calls at full speed, *mean_error twice its standard
 * error.
 */
static bool calls_differ(
	struct et_kept_samples *s, double lost_share, double *mean, double *mean_error)
{
	size_t n = sort_kept(s, KEPT_FULL_SPEED), i;
	const double *x = s->sorted;
	double error;

	if (n < FEW_GROUPS || x[0] <= 0)
		return false;
	i = shorter_group(x, n);
	if (!i)
		return false;
	double low = mean_of(x, i, &error), high = mean_of(x + i, n - i, mean_error);
	double share = longer_share(s, sqrt(x[i - 1] * x[i])), seen = 1 - (double)i / (double)n;
	*mean = low + share * (high - low);
	*mean_error = error + share * *mean_error +
		      2 * (high - low) * sqrt(share * (1 - share) / (double)s->n);
	return *mean / low - 1 > LEAST_EXCESS + 3 * lost_share && groups_alternate(s, x[i], seen);
}

/* --- whether they suffice, and the result --- */

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
		size_t n = sort_kept(&m->kept, KEPT_FULL_SPEED);

		r->statistic = ETALON_MEDIAN;
		r->warnings |= ETALON_WARNING_BELOW_FLOOR;
		*value = median_of(m->kept.sorted, n, error);
		r->converged = *error <= fmax(m->o->epsilon, MEDIAN_EPSILON) * *value;
	} else if (calls_differ(&m->kept, lost_share(m), &mean, &mean_error)) {
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
	size_t n = sort_kept(&m->kept, by_cpu ? KEPT_CPU : KEPT_CLEAN), i;
	double scale = (by_cpu ? 1 : 1e9 / m->s.t->hz) / m->calls, error;
	const double *x = m->kept.sorted;

#define PER_CALL(ticks) fmax((ticks)*scale - m->empty.ns, 0)
	r->min_ns = PER_CALL(et_quantile_sorted(x, n, 0));
	r->p10_ns = PER_CALL(et_quantile_sorted(x, n, 0.1));
	r->q1_ns = PER_CALL(et_quantile_sorted(x, n, 0.25));
	r->median_ns = PER_CALL(et_quantile_sorted(x, n, 0.5));
	r->q3_ns = PER_CALL(et_quantile_sorted(x, n, 0.75));
	r->p90_ns = PER_CALL(et_quantile_sorted(x, n, 0.9));
	r->mean_ns = PER_CALL(mean_of(x, n, &error));
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
