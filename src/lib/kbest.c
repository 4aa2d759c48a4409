/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * K-best for a function: samples until the best K agree. Beyond the published scheme it knows which
 * samples another thread ran in (by the thread's CPU time and its switches), falls back on CPU time
 * where none is undisturbed, subtracts the least that interrupts took of stretches as long, watches
 * the processor's speed, and says how far off it may be. Nothing here allocates, prints or locks.
 */
#include "lib/kbest.h"
#include "lib/cache.h"

#include <math.h>
#include <string.h>

enum {
	SAMPLE_NS = 20000, /* short functions are called until a sample is this long */
	MOST_CALLS = 1 << 24,
	TRIES = 3,
	LONG_TRIES = 2,              /* of calls that take long */
	AWAY_NS = 1000000,           /* a longer gap is another thread's turn */
	WINDOW_MOST_NS = 1000000000, /* windows of interrupts are not longer */
	WINDOWS = 8,                 /* the least of fewer may be more than what a sample met */
	LONG_WINDOWS = 3,            /* of long ones, which differ less, so many do */
	UNSEEN_NS = 50000000,        /* a neighbour may come and go within a longer sample */
	SWITCH_WAIT_NS = 300000000,
	LONG_NS = 100000000,
	AHEAD_NS = 20000000,
	TURN_NS = 50000000, /* so long others wait at most, or for one sample and its window */
	MANY_SWITCHES = 16, /* of fewer each may have cost less than the least that was seen */
	FEW = 4,            /* one undisturbed sample in so many is too few to wait for */
};

static const double CONFIDENCE = 0.95;
static const double NOTABLE_PACE = 0.005; /* the pace loop itself is no steadier */

struct shot {
	double ticks, cpu_ns; /* of all calls, without the clock's own cost */
	uint64_t switches;
	bool backwards;
};

struct measurement {
	struct et_gauge *g;
	const struct etalon_kbest_opts *o;
	void (*fn)(void *);
	void *arg;
	uint32_t calls;
	struct et_kbest_set clean; /* ticks of undisturbed samples; mark: slowdown */
	struct et_kbest_set cpu;   /* CPU ns of all samples */
	struct et_loss loss;
	double spin_cpu_ns; /* CPU time the kernel says the spins took */
	double switch_ns;
	double switches;   /* in all samples */
	bool crossed;      /* the sample before was interrupted */
	unsigned meetings; /* samples like that, the first try among them */
	bool may_hurry;    /* others run within samples, and a priority above theirs is allowed */
	bool hurrying;     /* it has that priority now */
	bool hurried;      /* or had it */
	struct et_standing was;
	uint64_t turn_began_ns;
	bool may_align;  /* samples are so long that they had better begin behind a tick */
	bool aligned;    /* this one does */
	double least_ns; /* CPU time of the shortest sample */
	double slow_sum; /* slowdown between samples */
	uint64_t samples, preempted, elapsed_ns;
	bool backwards;
};

static void call(const struct measurement *m, struct shot *s)
{
	const struct et_gauge *g = m->g;
	uint64_t switches, cpu, t0, t1;

	if (m->o->cache == ETALON_CACHE_COLD)
		et_cache_clear(m->o->clear_memory, m->o->clear_bytes);
	if (m->aligned)
		g->align(g->ctx);
	switches = g->switches(g->ctx);
	cpu = g->cpu_ns(g->ctx);
	t0 = g->start(g->ctx);
	for (uint32_t i = 0; i < m->calls; i++)
		m->fn(m->arg);
	t1 = g->stop(g->ctx);
	cpu = g->cpu_ns(g->ctx) - cpu;
	s->switches = g->switches(g->ctx) - switches;
	s->backwards = t1 < t0;
	s->ticks = fmax((double)(t1 - t0) - g->overhead, 0);
	s->cpu_ns = fmax((double)cpu - g->cpu_overhead_ns, 0);
}

static double ns_of(const struct measurement *m, double ticks)
{
	return ticks / m->g->hz * 1e9;
}

/*
 * Which share of interrupts the thread's CPU time holds: all of them, or none where the kernel
 * accounts them apart, or what the hypervisor did not own up to.
 */
static double charged_ratio(const struct measurement *m)
{
	double ran = ns_of(m, m->loss.all_ran), lost = ns_of(m, m->loss.all_lost);

	if (lost <= 0)
		return 0;
	return fmin(fmax((m->spin_cpu_ns - (ran - lost)) / lost, 0), 1);
}

/* Which share of the time interrupts take without being charged to us. */
static double uncharged(const struct measurement *m)
{
	return m->loss.all_ran > 0 ? (1 - charged_ratio(m)) * m->loss.all_lost / m->loss.all_ran
				   : 0;
}

/*
 * Another thread ran, or the hypervisor took the CPU: more time passed than the thread was given.
 * Switches alone do not tell: a kernel thread that comes for a microsecond is one too, and no more
 * than an interrupt.
 */
static bool interrupted(const struct measurement *m, const struct shot *s)
{
	double wall = ns_of(m, s->ticks), slack = 2000 + wall * (1e-4 + 2 * uncharged(m));

	return wall - s->cpu_ns > slack;
}

/*
 * Warms up, and finds how many calls make a sample that the clock can tell. The first call may be
 * far longer than the next (it fills a table), and any may be interrupted: the shortest of a few
 * decides.
 */
static void choose_calls(struct measurement *m, struct shot *shortest)
{
	bool fixed = m->o->calls || m->o->cache == ETALON_CACHE_COLD;
	struct shot s;

	m->calls = m->o->calls ? m->o->calls : 1;
	for (int tries = 0;; tries++) {
		call(m, &s);
		m->backwards |= s.backwards;
		if (!tries || s.ticks < shortest->ticks)
			*shortest = s;
		if (fixed || m->backwards)
			return;
		if (tries + 1 < (shortest->cpu_ns < LONG_NS ? TRIES : LONG_TRIES))
			continue;
		if (ns_of(m, shortest->ticks) >= SAMPLE_NS || m->calls >= MOST_CALLS)
			return;
		m->calls *= 2;
		tries = -1;
	}
}

/* One count more or less is the clock's, not the processor's: slow counters have few in the loop.
 */
static double slowdown_now(struct measurement *m)
{
	double pace = et_gauge_pace(m->g);

	return m->g->full_pace > 0 ? fmax((pace - 1) / m->g->full_pace - 1, 0) : 0;
}

/* Are interrupts to be reckoned with in each stretch so long? Of shorter ones many have none. */
static bool meets_interrupts(const struct measurement *m, double ns)
{
	return ns >= m->g->tick_ns / 16;
}

/*
 * How much interrupts take here and now of a stretch like the sample: it begins at the same
 * distance from a timer interrupt and is as long as the shortest.
 */
static void watch_interrupts(struct measurement *m, double sample_ns)
{
	const struct et_gauge *g = m->g;
	uint64_t cpu;

	m->least_ns = fmin(m->least_ns, sample_ns);
	m->loss.window = fmin(m->least_ns, WINDOW_MOST_NS) * g->hz / 1e9;
	if (m->aligned)
		g->align(g->ctx);
	cpu = g->cpu_ns(g->ctx);
	g->spin(g->ctx, &m->loss, (uint64_t)(2 * m->loss.window));
	m->spin_cpu_ns += (double)(g->cpu_ns(g->ctx) - cpu);
}

/* A first look, which makes no window: are they charged to us at all? */
static void look_ahead(struct measurement *m)
{
	const struct et_gauge *g = m->g;
	uint64_t cpu = g->cpu_ns(g->ctx);

	m->loss.window = INFINITY;
	g->spin(g->ctx, &m->loss, (uint64_t)(AHEAD_NS * g->hz / 1e9));
	m->spin_cpu_ns += (double)(g->cpu_ns(g->ctx) - cpu);
}

static bool compensates_switches(const struct measurement *m, double switches)
{
	return m->o->compensate && switches >= MANY_SWITCHES;
}

/* One sample with what is looked at around it. Returns the slowdown of the processor. */
static double look(struct measurement *m, struct shot *s)
{
	double before = slowdown_now(m), slow;

	call(m, s);
	slow = fmax(before, slowdown_now(m));
	if (m->o->compensate && meets_interrupts(m, s->cpu_ns))
		watch_interrupts(m, s->cpu_ns);
	return slow;
}

/* Before all others, where these would interrupt. */
static void press_on(struct measurement *m)
{
	const struct et_gauge *g = m->g;

	if (!m->may_hurry || m->hurrying)
		return;
	m->may_hurry = m->hurrying = g->hurry(g->ctx, &m->was);
	m->hurried |= m->hurrying;
	m->turn_began_ns = g->now_ns(g->ctx);
}

/* Then they have their turn. */
static void give_way(struct measurement *m)
{
	const struct et_gauge *g = m->g;

	if (!m->hurrying)
		return;
	g->relax(g->ctx, &m->was);
	g->yield(g->ctx);
	m->hurrying = false;
}

static double look_undisturbed(struct measurement *m, struct shot *s)
{
	/* Lets the others run first: the sample begins with a slice of its own. */
	if (m->crossed)
		m->g->yield(m->g->ctx);
	press_on(m);
	/* Where a turn is short anyway, none of it is waited away. */
	m->aligned = m->may_align && (m->hurrying || !m->crossed);
	return look(m, s);
}

/*
 * Others run within samples: what a switch costs, and may we be before them? Once by chance does
 * not say it, unless another sample would take long.
 */
static void meet_others(struct measurement *m, const struct shot *s)
{
	if (++m->meetings != (s->cpu_ns < LONG_NS ? 2 : 1))
		return;
	m->switch_ns = et_gauge_switch_ns(m->g, SWITCH_WAIT_NS);
	m->may_hurry = m->g->hurry && m->o->priority == ETALON_PRIORITY_AUTO;
}

static void take(struct measurement *m)
{
	double slow, switch_ns;
	struct shot s;

	slow = look_undisturbed(m, &s);
	m->backwards |= s.backwards;
	m->samples++;
	m->switches += (double)s.switches;
	m->slow_sum += fmin(slow, 2); /* an interrupt in the loop is no slow processor */
	m->crossed = interrupted(m, &s);
	if (!m->crossed)
		et_kbest_set_add(&m->clean, s.ticks, slow);
	else
		meet_others(m, &s);
	m->preempted += m->crossed;
	switch_ns =
		compensates_switches(m, (double)s.switches) ? m->switch_ns * (double)s.switches : 0;
	et_kbest_set_add(&m->cpu, fmax(s.cpu_ns - switch_ns, 0), slow);
}

/* The slowdown around the best. Where K agree, all ran at the speed of the one seen to be fastest.
 */
static double best_mark(const struct measurement *m, const struct et_kbest_set *s)
{
	double mark = s->mark[0];

	if (!et_kbest_converged(s, m->o->epsilon))
		return mark;
	for (size_t i = 1; i < s->k; i++)
		mark = fmin(mark, s->mark[i]);
	return mark;
}

/* Have K agreed, and at the processor's full speed? */
static bool good(const struct measurement *m, const struct et_kbest_set *s)
{
	return et_kbest_converged(s, m->o->epsilon) && best_mark(m, s) <= NOTABLE_PACE;
}

/* Are undisturbed samples so rare that CPU time has to do? */
static bool crowded(const struct measurement *m)
{
	return m->o->clock == ETALON_CLOCK_CPU ||
	       (m->preempted > m->o->k && m->clean.n * FEW <= m->samples);
}

/* Whether the best is a CPU time. */
static bool judged_by_cpu(const struct measurement *m)
{
	if (m->o->clock == ETALON_CLOCK_CPU || m->clean.n == 0)
		return true;
	return crowded(m) && (m->clean.n < m->o->k || (!good(m, &m->clean) && good(m, &m->cpu)));
}

static bool enough_windows(const struct measurement *m)
{
	return m->loss.best.n >= (et_loss_long(&m->loss) ? LONG_WINDOWS : WINDOWS);
}

/*
 * Where interrupts have to be taken off, two figures must be sure: the shortest samples, and the
 * least of what interrupts take. One that is the best by luck is not. Where others crowd in there
 * is no stretch to learn it from.
 */
static bool sure(const struct measurement *m)
{
	double most = m->o->epsilon * m->clean.value[0];

	if (!m->o->compensate || crowded(m) || !meets_interrupts(m, ns_of(m, m->clean.value[0])))
		return true;
	return enough_windows(m) && et_kbest_reach(&m->clean) <= most &&
	       et_kbest_reach(&m->loss.best) <= most;
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
	return (o->clock != ETALON_CLOCK_CPU && good(m, &m->clean) && sure(m)) ||
	       (crowded(m) && good(m, &m->cpu));
}

/* The least that interrupts take of a stretch as long as the best, in ns, and how sure that is. */
static double least_loss(
	const struct measurement *m, double best_ns, bool by_cpu, double *uncertainty)
{
	double least = et_loss_least(&m->loss, uncertainty);
	double scale = fmax(best_ns / WINDOW_MOST_NS, 1) * (by_cpu ? charged_ratio(m) : 1);

	*uncertainty = ns_of(m, *uncertainty) * scale;
	return ns_of(m, least) * scale;
}

/*
 * The least of a switch is known, the usual one is taken to be twice that; what refilling caches
 * takes is in no figure.
 */
static double switches_error(const struct measurement *m)
{
	double a_sample = m->switches / (double)m->samples;

	return m->switch_ns * a_sample * (compensates_switches(m, a_sample) ? 1 : 2);
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
	r->slowdown = best_mark(m, best);
	/*
	 * What is longer than a neighbour's visit may have had one between two looks; that K
	 * samples had the same is not likely.
	 */
	if (best_ns > UNSEEN_NS && !r->converged)
		r->slowdown = fmax(r->slowdown, m->slow_sum / (double)m->samples);
	if (r->slowdown <= NOTABLE_PACE)
		return;
	r->warnings |= ETALON_WARNING_SLOW;
	*error_ns += r->slowdown * best_ns;
}

static void judge(const struct measurement *m, struct etalon_kbest_result *r)
{
	const struct et_gauge *g = m->g;
	bool by_cpu = judged_by_cpu(m);
	const struct et_kbest_set *best = by_cpu ? &m->cpu : &m->clean;
	double best_ns = by_cpu ? best->value[0] : ns_of(m, best->value[0]);
	double value_ns = best_ns, error_ns;
	double overhead_u = by_cpu ? g->cpu_uncertainty_ns : ns_of(m, g->overhead_uncertainty);

	r->converged = et_kbest_converged(best, m->o->epsilon);
	r->clock = by_cpu ? ETALON_CLOCK_CPU : g->clock;
	r->spread = et_kbest_spread(best);
	r->warnings |= g->warnings | (r->converged ? 0 : ETALON_WARNING_SPREAD);
	if (by_cpu && m->o->clock != ETALON_CLOCK_CPU)
		r->warnings |= ETALON_WARNING_PREEMPTED;
	error_ns = et_kbest_error(best, CONFIDENCE) * best_ns + 2 * overhead_u + ns_of(m, 1) +
		   2 * g->hz_uncertainty / g->hz * best_ns;
	if (by_cpu)
		error_ns += switches_error(m);
	judge_interrupts(m, best_ns, by_cpu, &value_ns, &error_ns, r);
	judge_speed(m, best, best_ns, &error_ns, r);
	if (value_ns < 10 * overhead_u)
		r->warnings |= ETALON_WARNING_OVERHEAD;
	r->ns = value_ns / m->calls;
	r->ticks = r->ns * g->hz / 1e9;
	r->error = value_ns > 0 ? error_ns / value_ns : INFINITY;
	r->overhead_ns = by_cpu ? g->cpu_overhead_ns : ns_of(m, g->overhead);
	r->overhead_uncertainty_ns = overhead_u;
	r->unit = g->unit;
	r->hz = g->hz;
	r->hz_uncertainty = g->hz_uncertainty;
	r->samples = m->samples;
	r->preempted = m->preempted;
	r->calls = m->calls;
	r->elapsed_ns = m->elapsed_ns;
	r->realtime = m->hurried;
}

/*
 * M samples in a moment would all see the same neighbour: they are spread over the time there is,
 * and the pace loop meanwhile looks for the full speed.
 */
static bool early(struct measurement *m)
{
	double due = (double)m->o->least_ns * (double)m->samples / m->o->max_samples;

	if (m->o->limit_ns)
		due = fmin(due, (double)m->o->limit_ns);
	if ((double)m->elapsed_ns >= due)
		return false;
	et_gauge_pace(m->g);
	return true;
}

static void sample_all(struct measurement *m)
{
	const struct et_gauge *g = m->g;
	struct shot s;
	uint64_t first;

	choose_calls(m, &s);
	m->least_ns = s.cpu_ns;
	et_loss_init(&m->loss, g->hz, (uint64_t)fmin(s.cpu_ns, WINDOW_MOST_NS), AWAY_NS);
	m->may_align = m->o->compensate && g->align && s.cpu_ns > g->tick_ns / 2;
	if (m->o->compensate && meets_interrupts(m, s.cpu_ns))
		look_ahead(m);
	m->crossed = interrupted(m, &s);
	if (m->crossed)
		meet_others(m, &s);
	first = g->now_ns(g->ctx);
	while (!m->backwards && !finished(m)) {
		take(m);
		if (g->now_ns(g->ctx) - m->turn_began_ns >= TURN_NS)
			give_way(m);
		while (m->elapsed_ns = g->now_ns(g->ctx) - first, early(m))
			give_way(m);
	}
	give_way(m);
}

int et_kbest_measure(struct et_gauge *g, struct et_gauge *other, void (*fn)(void *), void *arg,
	const struct etalon_kbest_opts *o, struct etalon_kbest_result *out)
{
	struct etalon_kbest_result r = { .sz = sizeof(r) };
	struct measurement m = { .g = g, .o = o, .fn = fn, .arg = arg };

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
