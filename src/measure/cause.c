/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/cause.h"
#include "base/alloc.h"
#include "clock/ticks.h"

#include <math.h>
#include <string.h>

/* --- by records --- */

enum { MOST_NAMES = 16 };

/* Time of each within one period. */
struct shares {
	struct {
		enum et_sched_event_kind kind;
		const char *name;
		uint64_t ns;
	} list[MOST_NAMES];
	size_t n;
	uint64_t by_kind[ET_SCHED_SOFTIRQ + 1];
	uint64_t idle_ns;
	bool timer_first;
};

static void add_share(struct shares *s, const struct et_sched_event *h, uint64_t ns)
{
	const char *name = *h->name ? h->name : "(no name)"; /* it ended before its name was read */
	size_t i = 0;

	if (h->kind == ET_SCHED_RAN && h->pid == 0) {
		s->idle_ns += ns;
		return;
	}
	if (!s->n)
		s->timer_first = h->kind == ET_SCHED_TIMER;
	s->by_kind[h->kind] += ns;
	while (i < s->n && (s->list[i].kind != h->kind || strcmp(s->list[i].name, name)))
		i++;
	/* The last entry collects all further names. */
	if (i == MOST_NAMES)
		i = MOST_NAMES - 1;
	if (i == s->n) {
		s->list[i].kind = h->kind;
		s->list[i].name = name;
		s->list[i].ns = 0;
		s->n++;
	}
	s->list[i].ns += ns;
}

static const char *longest_name(const struct shares *s, enum et_sched_event_kind kind)
{
	const char *name = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->list[i].kind == kind && (!name || s->list[i].ns > most)) {
			most = s->list[i].ns;
			name = s->list[i].name;
		}
	}
	return name;
}

static void put_down(
	struct et_trace *t, struct et_inactive *p, enum et_cause cause, const char *name)
{
	p->cause = (uint8_t)cause;
	if (name)
		p->taker = et_trace_taker(t, cause, name);
}

/* Each process that ran in the period gets its share of it. */
static void share_out(struct et_trace *t, const struct shares *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->list[i].kind != ET_SCHED_RAN)
			continue;
		uint32_t at = et_trace_taker(t, ET_CAUSE_PROCESS, s->list[i].name);
		t->takers[at].exact = true;
		t->takers[at].count++;
		t->takers[at].ns += s->list[i].ns;
	}
}

/* The program was not ready to run for most of the period, so nobody took the CPU from it. */
static bool slept(const struct et_trace *t, const struct et_inactive *p)
{
	return t->ready_ns != ET_UNKNOWN && p->duration_ns / 2 > t->ready_ns;
}

static void decide(struct et_trace *t, struct et_inactive *p, const struct shares *s)
{
	uint64_t ran = s->by_kind[ET_SCHED_RAN], irq = s->by_kind[ET_SCHED_IRQ];
	uint64_t timer = s->by_kind[ET_SCHED_TIMER], soft = s->by_kind[ET_SCHED_SOFTIRQ];

	/* The CPU was idle: the program waited for something else. */
	if (s->idle_ns > ran && s->idle_ns >= p->duration_ns / 2) {
		put_down(t, p, ET_CAUSE_WAIT, NULL);
		return;
	}
	if (!s->n)
		return;
	p->tick = s->timer_first;
	/* The stretch of a process contains the interrupts that hit it. */
	uint64_t covered = ran > timer + irq + soft ? ran : timer + irq + soft;
	if (p->duration_ns >= ET_CAUSE_LONG_NS && covered < p->duration_ns / 2)
		return;
	if (ran > timer + irq + soft && slept(t, p)) {
		put_down(t, p, ET_CAUSE_WAIT, NULL);
	} else if (ran > timer + irq + soft) {
		put_down(t, p, ET_CAUSE_PROCESS, longest_name(s, ET_SCHED_RAN));
		share_out(t, s);
	} else if (timer && timer + soft >= irq) {
		put_down(t, p, ET_CAUSE_TIMER, NULL);
	} else {
		put_down(
			t, p, ET_CAUSE_IRQ, longest_name(s, irq ? ET_SCHED_IRQ : ET_SCHED_SOFTIRQ));
	}
}

static uint64_t overlap_ns(const struct et_sched_event *h, uint64_t from, uint64_t to)
{
	uint64_t end = h->start_ns + h->duration_ns;
	uint64_t a = h->start_ns > from ? h->start_ns : from, b = end < to ? end : to;

	return b > a ? b - a : 0;
}

void et_cause_join(struct et_trace *t, size_t from, const struct et_sched_event *events, size_t n)
{
	size_t first = 0;

	for (size_t i = from; i < t->n; i++) {
		struct et_inactive *p = &t->list[i];
		uint64_t start = t->begin_ns + p->start_ns, end = start + p->duration_ns;
		struct shares s = { 0 };
		while (first < n && events[first].start_ns + events[first].duration_ns <= start)
			first++;
		for (size_t k = first; k < n && events[k].start_ns < end; k++) {
			uint64_t ns = overlap_ns(&events[k], start, end);
			if (ns)
				add_share(&s, &events[k], ns);
		}
		decide(t, p, &s);
	}
}

/* --- without records --- */

static int longest_first(const void *a, const void *b)
{
	uint64_t x = (*(struct et_inactive *const *)a)->duration_ns;
	uint64_t y = (*(struct et_inactive *const *)b)->duration_ns;

	return (x < y) - (x > y);
}

/* The periods of unknown cause, the longest first. The caller frees the list. */
static struct et_inactive **unknown_ones(struct et_trace *t, size_t *n)
{
	struct et_inactive **list = et_calloc(t->n + 1, sizeof(struct et_inactive *));

	*n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].cause == ET_CAUSE_UNKNOWN)
			list[(*n)++] = &t->list[i];
	}
	qsort(list, *n, sizeof(struct et_inactive *), longest_first);
	return list;
}

void et_cause_switches(struct et_trace *t, uint64_t *switches)
{
	size_t n;
	ET_AUTO_FREE struct et_inactive **list = unknown_ones(t, &n);

	for (size_t i = 0; i < n && *switches; i++, --*switches)
		list[i]->cause = ET_CAUSE_PROCESS;
}

void et_cause_steal(struct et_trace *t, uint64_t *stolen_ns)
{
	size_t n;
	ET_AUTO_FREE struct et_inactive **list = unknown_ones(t, &n);

	for (size_t i = 0; i < n && *stolen_ns && list[i]->duration_ns >= ET_STEAL_LEAST_NS; i++) {
		uint64_t ns = list[i]->duration_ns;
		list[i]->cause = ET_CAUSE_STEAL;
		*stolen_ns = *stolen_ns > ns ? *stolen_ns - ns : 0;
	}
}

static void assign_ticks(struct et_trace *t, const bool *ticks, double half, bool long_is_process)
{
	for (size_t i = 0; i < t->n; i++) {
		struct et_inactive *p = &t->list[i];
		p->tick = ticks[i];
		if (!ticks[i] || p->cause != ET_CAUSE_UNKNOWN)
			continue;
		p->cause = long_is_process && (double)p->duration >= half ? ET_CAUSE_PROCESS
									  : ET_CAUSE_TIMER;
	}
}

/*
 * Finds ticks by their regularity. If the rate of the counter and the kernel's interval are known
 * and the result contradicts them (other processes hide every second tick, or it is the timer of a
 * hypervisor), ticks are searched for at the kernel's interval.
 */
static int find_ticks(const struct et_trace *t, const struct et_gap *gaps, double hz, bool *ticks,
	struct et_tick_fit *fit)
{
	double nominal = (double)t->timer.nominal_ns * hz / 1e9;
	int rc = et_ticks_find(gaps, t->n, hz, ticks, fit);

	if (!(t->hz > 0 && nominal > 0) || (rc == 0 && fabs(fit->interval / nominal - 1) < 0.01))
		return rc;
	if (et_ticks_find_every(gaps, t->n, hz, nominal, ticks, fit) == 0)
		return 0;
	return et_ticks_find(gaps, t->n, hz, ticks, fit);
}

/* An estimate is not wrong by a factor of two: then the ticks have another interval than stated. */
static void take_rate(struct et_trace *t, double hz)
{
	if (hz > t->hz_estimate / 2 && hz < t->hz_estimate * 2)
		t->hz = hz;
}

void et_cause_regular(struct et_trace *t, bool assign, bool long_is_process)
{
	double hz = t->hz > 0 ? t->hz : t->hz_estimate;
	ET_AUTO_FREE struct et_gap *gaps = et_calloc(t->n + 1, sizeof(*gaps));
	ET_AUTO_FREE bool *ticks = et_calloc(t->n + 1, sizeof(*ticks));
	struct et_tick_fit fit;

	for (size_t i = 0; i < t->n; i++)
		gaps[i] =
			(struct et_gap){ t->list[i].start, t->list[i].start + t->list[i].duration };
	if (find_ticks(t, gaps, hz, ticks, &fit))
		return;
	t->timer.n = fit.n;
	t->timer.first = fit.first;
	t->timer.interval = fit.interval;
	t->timer.uncertainty = fit.uncertainty;
	if (assign)
		assign_ticks(t, ticks, fit.interval / 2, long_is_process);
	/* The shortest: a tick after which another process ran is longer than the timer's work. */
	for (size_t i = 0; i < t->n; i++) {
		const struct et_inactive *p = &t->list[i];
		uint64_t *shortest = &t->timer.shortest_ticks;
		if (ticks[i] && p->cause == ET_CAUSE_TIMER &&
			(!*shortest || p->duration < *shortest))
			*shortest = p->duration;
	}
	if (t->hz_estimate > 0 && t->timer.nominal_ns)
		take_rate(t, fit.interval / (double)t->timer.nominal_ns * 1e9);
}
