/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/trace.h"
#include "num/tick_count.h"

/* --- what ticks would charge --- */

struct spans {
	double *from, *to;
	size_t n, cap_from, cap_to;
};

static void add_span(struct spans *s, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	ET_GROW(s->from, s->n, s->cap_from);
	ET_GROW(s->to, s->n, s->cap_to);
	s->from[s->n] = (double)from;
	s->to[s->n++] = (double)to;
}

static bool is_of(const struct et_inactive *p, uint32_t who)
{
	return p->cause == ET_CAUSE_PROCESS &&
	       (who == ET_TICK_OTHER ? p->taker == ET_NOBODY : p->taker == who);
}

/* By the records, in which several processes may share a period. */
static struct spans spans_of_records(const struct et_trace *t, uint32_t who)
{
	struct spans s = { 0 };

	for (size_t i = 0; i < t->n_stretches; i++) {
		if (t->stretches[i].taker == who)
			add_span(&s, t->stretches[i].from_ns, t->stretches[i].to_ns);
	}
	return s;
}

/* The time in which a process has the CPU, as far as the trace shows it. */
static struct spans spans_of(const struct et_trace *t, uint32_t who)
{
	struct spans s = { 0 };
	uint64_t since = 0;

	if (t->n_stretches && who < t->n_takers)
		return spans_of_records(t, who);
	for (size_t i = 0; i < t->n; i++) {
		const struct et_inactive *p = &t->list[i];
		uint64_t end_ns = p->start_ns + p->duration_ns;
		/* Interrupts happen on the account of the traced thread. */
		bool away = p->cause == ET_CAUSE_PROCESS || p->cause == ET_CAUSE_WAIT;
		if (who == ET_TICK_SELF && away) {
			add_span(&s, since, p->start_ns);
			since = end_ns;
		} else if (who != ET_TICK_SELF && is_of(p, who)) {
			add_span(&s, p->start_ns, end_ns);
		}
	}
	if (who == ET_TICK_SELF)
		add_span(&s, since, t->total_ns);
	return s;
}

static void count_chapter(const struct et_trace *t, struct et_charge *c)
{
	c->least = c->most = NAN;
	if (t->dropped || t->stretches_cut)
		return;
	struct spans s = spans_of(t, c->who);
	if (et_interval_count_range(s.from, s.to, s.n, ET_CHAPTER_TICK_NS, &c->least, &c->most))
		et_out_of_memory();
	free(s.from);
	free(s.to);
}

static void add_charge(const struct et_trace *t, struct et_charges *out, uint32_t who, double time)
{
	struct et_charge *c = &out->list[out->n];
	uint64_t ticks = who == ET_TICK_SELF    ? t->self_ticks
			 : who == ET_TICK_OTHER ? t->other_ticks
						: t->takers[who].ticks;

	if (!(time > 0) && !ticks && who != ET_TICK_SELF)
		return;
	*c = (struct et_charge){ .who = who,
		.name = who < t->n_takers ? t->takers[who].name : NULL,
		.time = time,
		.by_ticks = out->interval > 0 ? (double)ticks * out->interval : NAN,
		.user = NAN,
		.system = NAN,
		.user_by_ticks = NAN,
		.system_by_ticks = NAN };
	count_chapter(t, c);
	out->n++;
}

static double unnamed_ns(const struct et_trace *t)
{
	uint64_t ns = t->by_cause[ET_CAUSE_PROCESS].ns;

	for (size_t i = 0; i < t->n_takers; i++) {
		uint64_t of = t->takers[i].cause == ET_CAUSE_PROCESS ? t->takers[i].ns : 0;
		ns -= of < ns ? of : ns;
	}
	return (double)ns;
}

static int longest_first(const void *a, const void *b)
{
	double x = ((const struct et_charge *)a)->time, y = ((const struct et_charge *)b)->time;

	return ET_ORDER(y, x);
}

void et_trace_charge(const struct et_trace *t, struct et_charges *out)
{
	uint64_t active = t->total_ns > t->inactive_ns ? t->total_ns - t->inactive_ns : 0;

	*out = (struct et_charges){ .interval = t->timer.n ? t->timer.interval / t->hz * 1e9 : 0 };
	out->list = et_calloc(t->n_takers + 2, sizeof(*out->list));
	add_charge(t, out, ET_TICK_SELF, (double)active);
	if (t->spins) {
		/* Every tick interrupts it in user mode: it makes no system calls. */
		struct et_charge *self = &out->list[0];
		self->user = (double)active;
		self->system =
			(double)(t->by_cause[ET_CAUSE_TIMER].ns + t->by_cause[ET_CAUSE_IRQ].ns);
		self->user_by_ticks = self->by_ticks;
		self->system_by_ticks = out->interval > 0 ? 0 : NAN;
	}
	for (uint32_t i = 0; i < t->n_takers; i++) {
		if (t->takers[i].cause == ET_CAUSE_PROCESS)
			add_charge(t, out, i, (double)t->takers[i].ns);
	}
	/* Shares of named processes are exact, so a little of their periods may be left. */
	if (t->other_ticks || unnamed_ns(t) > 0.5 * (double)t->by_cause[ET_CAUSE_PROCESS].ns)
		add_charge(t, out, ET_TICK_OTHER, unnamed_ns(t));
	qsort(out->list + 1, out->n - 1, sizeof(*out->list), longest_first);
}

/* --- the long run --- */

static double inactive_between(const struct et_trace *t, uint64_t from, uint64_t to, size_t *at)
{
	double sum = 0;

	while (*at < t->n && t->list[*at].start_ns + t->list[*at].duration_ns <= from)
		++*at;
	for (size_t i = *at; i < t->n && t->list[i].start_ns < to; i++) {
		uint64_t a = t->list[i].start_ns, b = a + t->list[i].duration_ns;
		sum += (double)((b < to ? b : to) - (a > from ? a : from));
	}
	return sum;
}

/* The begins of cycles; the caller frees the list. */
static uint64_t *boundaries(const struct et_trace *t, bool turns, size_t *n)
{
	uint64_t *list = et_calloc((turns ? t->n : t->n_ticks) + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; turns && i < t->n; i++) {
		if (t->list[i].cause == ET_CAUSE_PROCESS)
			list[(*n)++] = t->list[i].start_ns;
	}
	for (size_t i = 0; !turns && i < t->n_ticks; i++)
		list[(*n)++] = t->ticks[i].at_ns;
	return list;
}

/* The ratio of two sums, with the usual variance of a ratio of means. */
static void conclude(
	const double *length, const double *inactive, size_t n, struct et_long_run *out)
{
	double all = 0, off = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		all += length[i];
		off += inactive[i];
	}
	out->inactive = off / all;
	for (size_t i = 0; i < n; i++) {
		double rest = inactive[i] - out->inactive * length[i];
		squares += rest * rest;
	}
	double m = (double)n;
	out->uncertainty = n > 1 ? sqrt(squares / (m * (m - 1))) / (all / m) : NAN;
}

bool et_trace_long_run(const struct et_trace *t, struct et_long_run *out)
{
	enum { LEAST_CYCLES = 2 };
	size_t n, at = 0;
	ET_AUTO_FREE uint64_t *turns = boundaries(t, true, &n);
	ET_AUTO_FREE uint64_t *ticks = NULL;
	bool by_turns = n > LEAST_CYCLES;

	if (!by_turns)
		ticks = boundaries(t, false, &n);
	const uint64_t *begins = by_turns ? turns : ticks;
	if (n < 2 || begins[n - 1] == begins[0])
		return false;
	ET_AUTO_FREE double *length = et_calloc(n, sizeof(*length));
	ET_AUTO_FREE double *inactive = et_calloc(n, sizeof(*inactive));
	for (size_t i = 0; i + 1 < n; i++) {
		length[i] = (double)(begins[i + 1] - begins[i]);
		inactive[i] = inactive_between(t, begins[i], begins[i + 1], &at);
	}
	*out = (struct et_long_run){ .cycles = n - 1, .turns = by_turns };
	conclude(length, inactive, n - 1, out);
	return true;
}
