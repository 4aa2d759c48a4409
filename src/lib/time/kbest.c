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
#include "num/moments.h"
#include "num/quantile.h"

enum {
	SAMPLE_NS = 20000, /* a short function is called repeatedly until a sample is this long */
	MAX_CALLS = 1 << 24,
	TRIES = 3,
	LONG_TRIES = 2, /* if a call is longer than LONG_NS */
	LONG_NS = 100000000,
	IDLE_SPIN_NS = 200000, /* of a spin between samples */
	TEST_SAMPLES = 128,    /* test the floor whenever this many were added */
	UNSEEN_NS = 50000000,  /* a sibling may become busy and idle within a longer sample */
	MANY_SWITCHES = 16,    /* each of fewer may have cost less than the least ever seen */
	FEW = 4,               /* fewer than 1 undisturbed sample in FEW is too few to wait for */
	FLOOR_SAMPLES = 512,   /* enough for the median, if the shortest samples are no floor */
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

/* All samples, in memory allocated before: what the shortest do not show. Times are in ticks. */
struct kept_sample {
	double ticks, cpu_ns;
	double reference; /* ticks of the reference loop around it */
	bool preempted;
};

/* If there are more samples than room, every second, fourth … is kept. */
struct kept_samples {
	struct kept_sample *list;
	double *sorted; /* as long as list, after it, to sort times in */
	size_t n, capacity;
	uint64_t stride, skipped;
	const struct et_sampler *sampler; /* knows the full speed */
};

struct run {
	struct et_sampler s;
	const struct etalon_kbest_opts *o;
	void (*fn)(void *);
	void *arg;
	uint32_t calls; /* per sample */
	struct et_empty empty;
	struct et_kbest_set full;  /* ticks of samples at full speed, not preempted */
	struct et_kbest_set clean; /* ticks of samples that were not preempted; mark: slowdown */
	struct et_kbest_set cpu;   /* CPU time of all samples, ns; mark: slowdown */
	double full_speed_ticks;   /* of the reference loop, when `full` was built */
	struct kept_samples kept;
	double switches;             /* in all samples */
	double slow_sum, slow_least; /* sum and least of the slowdowns around samples */
	double idle_ran, idle_lost;  /* spins between samples that were not preempted, in ticks */
	bool below_floor;            /* the shortest samples are no floor */
	uint64_t samples, preempted, elapsed_ns, waits;
	bool backwards;
};

/* --- all samples --- */

static int kept_init(struct kept_samples *s, size_t samples, const struct et_sampler *sampler)
{
	*s = (struct kept_samples){ .stride = 1,
		.sampler = sampler,
		.capacity = samples < MOST_KEPT ? samples : MOST_KEPT };
	s->list = malloc(s->capacity * (sizeof(*s->list) + sizeof(*s->sorted)));
	if (!s->list)
		return ETALON_NO_MEMORY;
	s->sorted = (double *)(s->list + s->capacity);
	/* Touch the pages now, so that no sample does. */
	memset(s->list, 0xff, s->capacity * (sizeof(*s->list) + sizeof(*s->sorted)));
	return ETALON_OK;
}

static void kept_add(struct kept_samples *s, const struct et_timed *x)
{
	if (s->skipped++ % s->stride)
		return;
	if (s->n == s->capacity) {
		if (s->capacity < 2)
			return;
		for (size_t i = 0; 2 * i < s->n; i++)
			s->list[i] = s->list[2 * i];
		s->n = (s->n + 1) / 2;
		s->stride *= 2;
	}
	s->list[s->n++] = (struct kept_sample){
		.ticks = x->ticks,
		.cpu_ns = x->cpu_ns,
		.reference = x->reference,
		.preempted = x->preempted,
	};
}

static bool at_full_speed(const struct kept_samples *s, const struct kept_sample *x)
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
static size_t sort_kept(struct kept_samples *s, enum kept_which which)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct kept_sample *x = &s->list[i];

		if (which == KEPT_CPU)
			s->sorted[n++] = x->cpu_ns;
		else if (which == KEPT_CLEAN ? !x->preempted : at_full_speed(s, x))
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

/*
 * Whether samples at reduced speed of the reference loop are shorter than at full speed, so that
 * there is no floor: more than three times as many as by chance are below the 5 % quantile.
 */
static bool below_floor(struct kept_samples *s, double epsilon)
{
	size_t full = sort_kept(s, KEPT_FULL_SPEED), slow = 0, below = 0;

	if (full < FEW_FULL)
		return false;
	double floor = et_quantile_sorted(s->sorted, full, 0.05) * (1 - fmax(epsilon, LEAST_BELOW));
	for (size_t i = 0; i < s->n; i++) {
		const struct kept_sample *x = &s->list[i];

		if (x->preempted || at_full_speed(s, x))
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

/* Whether the groups alternate as independent samples do: a hidden disturbance lasts for many. */
static bool groups_alternate(const struct kept_samples *s, double limit, double longer_share)
{
	size_t n = 0, changes = 0;
	bool last = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct kept_sample *x = &s->list[i];

		if (!at_full_speed(s, x))
			continue;
		changes += n++ && (x->ticks >= limit) != last;
		last = x->ticks >= limit;
	}
	return (double)changes >= LEAST_CHANGES * 2 * longer_share * (1 - longer_share) * (double)n;
}

/*
 * The share of all samples in the longer group. Long samples are disturbed more often, so that
 * those at full speed have too few of them; CPU time and slowdown tell the others' group.
 */
static double longer_share(const struct kept_samples *s, double limit)
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
 * Whether calls differ systematically: times fall into two groups with a wide gap, the groups
 * alternate, and the longer ones take more than interrupts, which take lost_share of any time,
 * explain. *mean is the mean of all calls at full speed, *mean_error twice its standard error.
 */
static bool calls_differ(
	struct kept_samples *s, double lost_share, double *mean, double *mean_error)
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

static double ns_of(const struct run *m, double ticks)
{
	return et_sampler_ns(&m->s, ticks);
}

/* Whether the CPU time of this many context switches shall be subtracted. */
static bool compensates_switches(const struct run *m, double switches)
{
	return m->o->compensate && switches >= MANY_SWITCHES;
}

/* The slowdown around the shortest. K samples that agree ran at one speed: the least holds. */
static double best_slowdown(const struct run *m, const struct et_kbest_set *s)
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
static const struct et_kbest_set *best_set(const struct run *m)
{
	if (et_kbest_converged(&m->full, m->o->epsilon) && ns_of(m, m->full.value[0]) <= UNSEEN_NS)
		return &m->full;
	return &m->clean;
}

static bool agreed_at_full_speed(const struct run *m, const struct et_kbest_set *s)
{
	return et_kbest_converged(s, m->o->epsilon) && best_slowdown(m, s) <= ET_NOTABLE_SLOWDOWN;
}

/* Whether undisturbed samples are so rare that the result must be CPU time. */
static bool mostly_preempted(const struct run *m)
{
	return m->o->clock == ETALON_CLOCK_CPU ||
	       (m->preempted > m->o->k && m->clean.n * FEW <= m->samples);
}

/* Whether the result is the CPU time. */
static bool judged_by_cpu(const struct run *m)
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
static bool compensation_settled(const struct run *m)
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
static bool median_settled(const struct run *m)
{
	double half_width, median = et_cache_median(m->s.t->cache, &half_width);

	return half_width <= fmax(m->o->epsilon, MEDIAN_EPSILON) * median;
}

/* Whether the samples suffice, or the limits are reached. */
static bool finished(const struct run *m)
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

static void judge_interrupts(const struct run *m, double best_ns, bool by_cpu, double *value_ns,
	double *error_ns, struct etalon_kbest_result *r)
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
static double possible_slowdown(const struct run *m, const struct et_kbest_set *best,
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

static double lost_share(const struct run *m)
{
	const struct et_loss *l = &m->s.loss;

	if (m->idle_ran > 0)
		return m->idle_lost / m->idle_ran;
	return l->all_ran > 0 ? l->all_lost / l->all_ran : ASSUMED_LOSS;
}

/* Chooses another figure than the shortest if that is no floor, or if calls differ. In ticks. */
static void judge_floor(struct run *m, double *value, double *error, struct etalon_kbest_result *r)
{
	double mean, mean_error;

	if (below_floor(&m->kept, m->o->epsilon)) {
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
static double judge_value(struct run *m, const struct et_kbest_set *best, bool by_cpu,
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
static void describe(struct run *m, bool by_cpu, struct etalon_kbest_result *r)
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
		const struct kept_sample *k = &m->kept.list[i];

		m->o->sample_ns[i] = PER_CALL(by_cpu ? k->cpu_ns : k->ticks);
	}
	r->sample_n = i;
#undef PER_CALL
}

static void report_run(const struct run *m, bool by_cpu, struct etalon_kbest_result *r)
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

static void judge(struct run *m, struct etalon_kbest_result *r)
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
	/*
	 * The smallest cost of a context switch is known; a typical one is assumed to cost twice as
	 * much. The time to refill the caches after a switch is not included anywhere.
	 */
	double per_sample = m->switches / (double)m->samples;
	if (by_cpu)
		error_ns +=
			m->s.switch_ns * per_sample * (compensates_switches(m, per_sample) ? 1 : 2);
	judge_interrupts(m, best_ns, by_cpu, &value_ns, &error_ns, r);
	r->slowdown = possible_slowdown(m, best, best_ns, r);
	if (r->slowdown > ET_NOTABLE_SLOWDOWN) {
		r->warnings |= ETALON_WARNING_SLOW;
		error_ns += r->slowdown * best_ns;
	}
	r->ns = fmax(value_ns / m->calls - m->empty.ns, 0);
	r->error_ns = error_ns / m->calls + 2 * m->empty.uncertainty_ns;
	if (value_ns < 10 * overhead_u || r->ns < 3 * m->empty.uncertainty_ns)
		r->warnings |= ETALON_WARNING_OVERHEAD;
	r->ticks = r->ns * t->hz / 1e9;
	r->error = r->ns > 0 ? r->error_ns / r->ns : INFINITY;
	r->overhead_uncertainty_ns = overhead_u;
	describe(m, by_cpu, r);
}

/* --- taking samples --- */

static void time_sample(struct run *m, struct et_timed *x)
{
	et_sampler_start(&m->s);
	et_call_many(m->fn, m->arg, m->calls);
	et_sampler_stop(&m->s, x);
	m->backwards |= x->backwards;
}

/*
 * Warms up and finds the number of calls that is long enough for the clock. The first call may fill
 * a table, and any may be preempted, so the shortest of a few tries decides.
 */
static void choose_calls(struct run *m, struct et_timed *shortest)
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

/* Adds a sample at full speed. If the processor proves faster than known, earlier ones are slow. */
static void add_full_speed(struct run *m, const struct et_timed *x)
{
	double full = m->s.t->full_speed_ticks;

	if (full < m->full_speed_ticks * (1 - ET_NOTABLE_SLOWDOWN / 2)) {
		et_kbest_set_init(&m->full, m->o->k);
		for (size_t i = 0; i < m->kept.n; i++)
			if (at_full_speed(&m->kept, &m->kept.list[i]))
				et_kbest_set_add(&m->full, m->kept.list[i].ticks, 0);
		m->full_speed_ticks = full;
	}
	if (x->slowdown <= ET_NOTABLE_SLOWDOWN)
		et_kbest_set_add(&m->full, x->ticks, x->slowdown);
}

static void take_sample(struct run *m)
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
	if (!x.preempted) {
		et_kbest_set_add(&m->clean, x.ticks, x.slowdown);
		add_full_speed(m, &x);
	}
	if (!x.preempted && m->s.t->cache)
		et_cache_note(m->s.t->cache, x.ticks);
	m->preempted += x.preempted;
	switch_ns = compensates_switches(m, (double)x.switches)
			    ? m->s.switch_ns * (double)x.switches
			    : 0;
	et_kbest_set_add(&m->cpu, fmax(x.cpu_ns - switch_ns, 0), x.slowdown);
	kept_add(&m->kept, &x);
	if (m->samples % TEST_SAMPLES == 0 && !m->s.t->cache)
		m->below_floor = below_floor(&m->kept, m->o->epsilon);
}

/* Spins, to learn how much time interrupts take that do not look like preemption. */
static void spin_idly(struct run *m)
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
 * Whether the next sample is not due yet. Successive samples would meet one disturbance, so they
 * are spread over least_ns; meanwhile the reference loop runs, and spins find interrupts.
 */
static bool ahead_of_schedule(struct run *m)
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

static void sample_all(struct run *m)
{
	const struct et_timebase *t = m->s.t;
	struct et_timed x;

	choose_calls(m, &x);
	m->empty = et_empty_call(
		m->s.t, m->fn, m->arg, ns_of(m, x.ticks) / m->calls, m->calls, m->calls > 1);
	et_sampler_expect(&m->s, &x);
	uint64_t first = t->now_ns(t->ctx);
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
	struct run m = { .o = o, .fn = fn, .arg = arg };
	int rc = kept_init(&m.kept, o->max_samples, &m.s);

	if (rc)
		return rc;
	et_sampler_init(&m.s, t, o);
	m.full_speed_ticks = t->full_speed_ticks;
	et_kbest_set_init(&m.full, o->k);
	et_kbest_set_init(&m.clean, o->k);
	et_kbest_set_init(&m.cpu, o->k);
	sample_all(&m);
	if (!m.backwards)
		judge(&m, &r);
	free(m.kept.list);
	if (m.backwards) {
		if (!other)
			return ETALON_BAD_CLOCK;
		other->warnings |= ETALON_WARNING_BACKWARDS;
		return et_kbest_measure(other, NULL, fn, arg, o, out);
	}
	*out = r;
	return r.converged ? ETALON_OK : ETALON_NOT_CONVERGED;
}
