/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/cause.h"
#include "base/u64.h"
#include "clock/ticks.h"

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
};

static const char *name_of(const struct et_sched_event *h)
{
	return *h->name ? h->name : "(no name)"; /* it ended before its name was read */
}

static void add_share(struct shares *s, const struct et_sched_event *h, uint64_t ns)
{
	const char *name = name_of(h);
	size_t i = 0;

	if (h->kind == ET_SCHED_RAN && h->pid == 0) {
		s->idle_ns += ns;
		return;
	}
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

static void decide(struct et_trace *t, struct et_inactive *p, const struct shares *s)
{
	uint64_t ran = s->by_kind[ET_SCHED_RAN], irq = s->by_kind[ET_SCHED_IRQ];
	uint64_t timer = s->by_kind[ET_SCHED_TIMER], soft = s->by_kind[ET_SCHED_SOFTIRQ];
	/* It was not ready to run for most of the period, so nobody took the CPU from it. */
	bool slept = t->ready_ns != ET_UNKNOWN && p->duration_ns / 2 > t->ready_ns;

	/* The CPU was idle: the program waited for something else. */
	if (s->idle_ns > ran && s->idle_ns >= p->duration_ns / 2) {
		put_down(t, p, ET_CAUSE_WAIT, NULL);
		return;
	}
	if (!s->n)
		return;
	/* The stretch of a process contains the interrupts that hit it. */
	uint64_t covered = ran > timer + irq + soft ? ran : timer + irq + soft;
	if (p->duration_ns >= ET_CAUSE_LONG_NS && covered < p->duration_ns / 2)
		return;
	if (ran > timer + irq + soft && slept) {
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

/* Keeps which process ran when in a period; `events` begins with the first that may overlap it. */
static void keep_stretches(struct et_trace *t, const struct et_inactive *p,
	const struct et_sched_event *events, size_t n)
{
	uint64_t start = t->begin_ns + p->start_ns, end = start + p->duration_ns;

	for (size_t i = 0; i < n && events[i].start_ns < end; i++) {
		const struct et_sched_event *h = &events[i];
		uint64_t to = h->start_ns + h->duration_ns;
		if (h->kind != ET_SCHED_RAN || h->pid == 0 || !overlap_ns(h, start, end))
			continue;
		et_trace_add_stretch(t,
			(struct et_stretch){
				.from_ns =
					(h->start_ns > start ? h->start_ns : start) - t->begin_ns,
				.to_ns = (to < end ? to : end) - t->begin_ns,
				.taker = et_trace_taker(t, ET_CAUSE_PROCESS, name_of(h)) });
	}
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
		if (p->cause == ET_CAUSE_PROCESS)
			keep_stretches(t, p, events + first, n - first);
	}
}

/* --- the ticks among the timer interrupts --- */

enum { ON_TIME = 100 }; /* a tick is on time within this part of the interval */

static uint64_t median_distance(const struct et_timer_record *records, size_t n)
{
	ET_AUTO_FREE uint64_t *list = et_calloc(n, sizeof(*list));

	for (size_t i = 1; i < n; i++)
		list[i - 1] = records[i].start_ns - records[i - 1].start_ns;
	if (n < 2)
		return 0;
	qsort(list, n - 1, sizeof(*list), et_ascending_u64);
	return list[(n - 1) / 2];
}

/* The phase at which most interrupts begin, or shortly after which they do. */
static uint64_t find_phase(
	const struct et_timer_record *records, size_t n, uint64_t interval, uint64_t width)
{
	ET_AUTO_FREE uint64_t *list = et_calloc(2 * n, sizeof(*list));
	size_t most = 0, end = 0;
	uint64_t phase = 0;

	for (size_t i = 0; i < n; i++)
		list[i] = records[i].start_ns % interval;
	qsort(list, n, sizeof(*list), et_ascending_u64);
	/* Once more, an interval later, so that a window may contain the end of the circle. */
	for (size_t i = 0; i < n; i++)
		list[n + i] = list[i] + interval;
	for (size_t i = 0; i < n; i++) {
		while (end < i + n && list[end] <= list[i] + width)
			end++;
		if (end - i > most) {
			most = end - i;
			phase = list[i];
		}
	}
	return phase;
}

/* Least squares of the starts of those ticks that were on time, on their numbers. */
struct fit {
	double n, k, kk, y, ky, yy;
};

static void fit_add(struct fit *f, double k, double y)
{
	f->n++;
	f->k += k;
	f->kk += k * k;
	f->y += y;
	f->ky += k * y;
	f->yy += y * y;
}

/* y is how late a tick is, so the slope is the difference to the nominal interval. */
static void fit_end(const struct fit *f, struct et_tick_grid *out)
{
	if (f->n < 3)
		return;
	double skk = f->kk - f->k * f->k / f->n, sky = f->ky - f->k * f->y / f->n;
	double syy = f->yy - f->y * f->y / f->n, slope = sky / skk;

	out->interval_ns += slope;
	out->uncertainty_ns = sqrt(fmax(0, syy - slope * sky) / (f->n - 2) / skk);
}

int et_tick_grid_find(const struct et_timer_record *records, size_t n, uint64_t nominal_ns,
	bool *ticks, struct et_tick_grid *out)
{
	uint64_t interval = nominal_ns ? nominal_ns : median_distance(records, n);

	if (!n || interval < ON_TIME)
		return -ENOENT;
	uint64_t width = interval / ON_TIME, phase = find_phase(records, n, interval, width);
	/* An interrupt of cell k came after tick k was due; some come a little before most do. */
	uint64_t shift = interval + width - phase % interval, last = UINT64_MAX;
	uint64_t first_cell = (records[0].start_ns + shift) / interval;
	struct fit fit = { 0 };

	*out = (struct et_tick_grid){ .interval_ns = (double)interval };
	for (size_t i = 0; i < n; i++) {
		uint64_t cell = (records[i].start_ns + shift) / interval;
		uint64_t late = (records[i].start_ns + shift) % interval;
		bool on_time = late <= 2 * width;
		ticks[i] = cell != last && (on_time || records[i].charged != ET_TICK_IDLE);
		if (!ticks[i])
			continue;
		last = cell;
		out->n++;
		if (on_time)
			fit_add(&fit, (double)(cell - first_cell), (double)late);
	}
	fit_end(&fit, out);
	return out->n ? 0 : -ENOENT;
}

/* --- ticks and their periods --- */

void et_cause_timers(struct et_trace *t, const struct et_sched_event *events, size_t n)
{
	const struct et_sched_event *ran = NULL; /* the last stretch that began */

	for (size_t i = 0; i < n; i++) {
		const struct et_sched_event *h = &events[i];
		uint32_t charged = ET_TICK_SELF;
		if (h->kind == ET_SCHED_RAN)
			ran = h;
		if (h->kind != ET_SCHED_TIMER)
			continue;
		if (ran && h->start_ns < ran->start_ns + ran->duration_ns)
			charged = ran->pid ? et_trace_taker(t, ET_CAUSE_PROCESS, name_of(ran))
					   : ET_TICK_IDLE;
		ET_GROW(t->records, t->n_records, t->cap_records);
		t->records[t->n_records++] = (struct et_timer_record){ h->start_ns, charged };
	}
}

/* The traced thread met a tick in this period. */
static void mark(struct et_trace *t, struct et_inactive *p)
{
	if (p->tick)
		return;
	p->tick = true;
	if (p->cause != ET_CAUSE_TIMER)
		return;
	t->timer.alone++;
	if (!t->timer.shortest_ticks || p->duration < t->timer.shortest_ticks)
		t->timer.shortest_ticks = p->duration;
}

/* The ticks from index `from` are new. */
static void mark_periods(struct et_trace *t, size_t from)
{
	size_t at = 0;

	for (size_t i = from; i < t->n_ticks; i++) {
		uint64_t ns = t->ticks[i].at_ns;
		while (at < t->n && t->list[at].start_ns + t->list[at].duration_ns <= ns)
			at++;
		if (at == t->n)
			return;
		if (t->list[at].start_ns <= ns && t->ticks[i].charged == ET_TICK_SELF)
			mark(t, &t->list[at]);
	}
}

static void find_median(struct et_trace *t)
{
	ET_AUTO_FREE uint64_t *list = et_calloc(t->n + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].tick && t->list[i].cause == ET_CAUSE_TIMER)
			list[n++] = t->list[i].duration;
	}
	qsort(list, n, sizeof(*list), et_ascending_u64);
	t->timer.median_ticks = n ? list[(n - 1) / 2] + (list[n / 2] - list[(n - 1) / 2]) / 2 : 0;
}
/* Takes the records that begin before until_ns out of t->records. The caller frees the list. */
static struct et_timer_record *take_records(struct et_trace *t, uint64_t until_ns, size_t *n)
{
	struct et_timer_record *list = et_calloc(t->n_records + 1, sizeof(*list));
	size_t left = 0;

	*n = 0;
	for (size_t i = 0; i < t->n_records; i++) {
		uint64_t start_ns = t->records[i].start_ns;
		if (start_ns >= t->begin_ns + until_ns)
			t->records[left++] = t->records[i];
		else if (start_ns >= t->begin_ns)
			list[(*n)++] = t->records[i];
	}
	t->n_records = left;
	return list;
}

static uint64_t to_counter(const struct et_trace *t, double ns)
{
	return (uint64_t)llround(ns * t->hz / 1e9);
}

bool et_cause_ticks(struct et_trace *t, uint64_t until_ns)
{
	size_t n, from;
	ET_AUTO_FREE struct et_timer_record *list = take_records(t, until_ns, &n);
	ET_AUTO_FREE bool *is_tick = et_calloc(n + 1, sizeof(*is_tick));
	struct et_tick_grid grid;

	if (et_tick_grid_find(list, n, t->timer.nominal_ns, is_tick, &grid))
		return t->timer.by_records;
	from = t->n_ticks;
	for (size_t i = 0; i < n; i++) {
		uint64_t at_ns = list[i].start_ns - t->begin_ns;
		if (!is_tick[i])
			continue;
		if (!t->timer.n)
			t->timer.first = to_counter(t, (double)at_ns);
		if (t->n_ticks == ET_TRACE_MOST)
			from -= from < ET_TRACE_MOST / 2 ? from : ET_TRACE_MOST / 2;
		et_trace_add_tick(t, (struct et_tick){ .at = to_counter(t, (double)at_ns),
					     .at_ns = at_ns,
					     .charged = list[i].charged });
	}
	t->timer.by_records = true;
	t->timer.interval = grid.interval_ns * t->hz / 1e9;
	t->timer.uncertainty = grid.uncertainty_ns * t->hz / 1e9;
	mark_periods(t, from);
	find_median(t);
	return true;
}

/* --- without records --- */

static int longest_first(const void *a, const void *b)
{
	uint64_t x = (*(struct et_inactive *const *)a)->duration_ns;
	uint64_t y = (*(struct et_inactive *const *)b)->duration_ns;

	return ET_ORDER(y, x);
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

static void add_tick(struct et_trace *t, double at, uint32_t charged, bool estimated)
{
	uint64_t counter = (uint64_t)llround(at);

	et_trace_add_tick(t, (struct et_tick){ .at = counter,
				     .at_ns = t->hz > 0 ? (uint64_t)llround(at / t->hz * 1e9) : 0,
				     .charged = charged,
				     .estimated = estimated });
}

/* Which task has the CPU later in an inactive period. */
static uint32_t had_cpu(const struct et_inactive *p)
{
	if (p->cause == ET_CAUSE_PROCESS)
		return p->taker == ET_NOBODY ? ET_TICK_OTHER : p->taker;
	return p->cause == ET_CAUSE_WAIT ? ET_TICK_IDLE : ET_TICK_SELF;
}

/*
 * Adds the ticks that a period hides: the places that a line through a seen tick predicts, as far
 * as the interval is known well enough.
 */
static void add_hidden(struct et_trace *t, const struct et_inactive *p, double seen)
{
	static const double LEAST = 0.01; /* nearer to the beginning it is the seen tick itself */
	double interval = t->timer.interval, end = (double)(p->start + p->duration);
	double k = ceil(((double)p->start - seen) / interval + LEAST);
	size_t most = t->n_ticks + 10000; /* a file may contain a period of any length */

	for (; seen + k * interval < end && t->n_ticks < most; k++) {
		if (fabs(k) * t->timer.uncertainty > interval / 4)
			return;
		add_tick(t, seen + k * interval, had_cpu(p), true);
	}
}

/* Lists all ticks, those that were seen and those that a period hides. */
static void list_ticks(struct et_trace *t, const bool *ticks)
{
	double seen = (double)t->timer.first;

	t->n_ticks = 0;
	t->timer.n = t->timer.alone = 0;
	t->timer.shortest_ticks = 0;
	t->self_ticks = t->other_ticks = t->idle_ticks = 0;
	for (size_t i = 0; i < t->n_takers; i++)
		t->takers[i].ticks = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct et_inactive *p = &t->list[i];
		p->tick = false;
		if (ticks[i]) {
			seen = (double)p->start;
			add_tick(t, seen, ET_TICK_SELF, false);
			mark(t, p);
		}
		add_hidden(t, p, seen);
	}
	find_median(t);
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
	int rc = et_ticks_find(gaps, t->n, hz, 0, ticks, fit);

	if (!(t->hz > 0 && nominal > 0) || (rc == 0 && fabs(fit->interval / nominal - 1) < 0.01))
		return rc;
	if (et_ticks_find(gaps, t->n, hz, nominal, ticks, fit) == 0)
		return 0;
	return et_ticks_find(gaps, t->n, hz, 0, ticks, fit);
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
	t->timer.first = fit.first;
	t->timer.interval = fit.interval;
	t->timer.uncertainty = fit.uncertainty;
	for (size_t i = 0; assign && i < t->n; i++) {
		struct et_inactive *p = &t->list[i];
		bool is_long = (double)p->duration >= fit.interval / 2;
		if (ticks[i] && p->cause == ET_CAUSE_UNKNOWN)
			p->cause = long_is_process && is_long ? ET_CAUSE_PROCESS : ET_CAUSE_TIMER;
	}
	list_ticks(t, ticks);
	/* An estimate is not wrong by a factor of two: then the ticks have another interval than
	 * stated. */
	hz = t->timer.nominal_ns ? fit.interval / (double)t->timer.nominal_ns * 1e9 : 0;
	if (hz > t->hz_estimate / 2 && hz < t->hz_estimate * 2)
		t->hz = hz;
}

void et_cause_of_file(struct et_trace *t)
{
	if (!t->n_ticks)
		et_cause_regular(t, strcmp(t->source, "file") != 0, true);
	et_trace_set_rate(t, t->hz > 0 ? t->hz : t->hz_estimate);
	if (t->n_ticks && !t->timer.alone) {
		for (size_t i = 0; i < t->n; i++)
			t->list[i].tick = false;
		mark_periods(t, 0);
		find_median(t);
	}
	et_trace_sum(t);
}
