/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/trace.h"

const char *const et_cause_names[] = { "timer", "process", "irq", "steal", "wait", "unknown",
	NULL };

void et_trace_init(struct et_trace *t)
{
	memset(t, 0, sizeof(*t));
	t->begin_ns = t->threshold_ns = t->ready_ns = ET_UNKNOWN;
	t->cpu = -1;
	t->source = "regularity";
}

void et_trace_free(struct et_trace *t)
{
	free(t->name);
	free(t->list);
	free(t->takers);
	free(t->stretches);
	free(t->records);
	free(t->ticks);
	et_warnings_free(&t->warnings);
}

struct et_inactive *et_trace_add(struct et_trace *t, uint64_t start, uint64_t duration)
{
	ET_GROW(t->list, t->n, t->cap);
	struct et_inactive *p = &t->list[t->n++];
	*p = (struct et_inactive){
		.start = start, .duration = duration, .taker = ET_NOBODY, .cause = ET_CAUSE_UNKNOWN
	};
	return p;
}

/* Returns n_takers if there is none. */
static size_t find_taker(const struct et_trace *t, enum et_cause cause, const char *name)
{
	size_t i = 0;

	/* Only the beginning of a long name is stored. */
	while (i < t->n_takers &&
		(t->takers[i].cause != cause ||
			strncmp(t->takers[i].name, name, sizeof(t->takers[i].name) - 1) != 0))
		i++;
	return i;
}

uint32_t et_trace_taker(struct et_trace *t, enum et_cause cause, const char *name)
{
	size_t at = find_taker(t, cause, name);

	if (at == t->n_takers && at >= ET_TAKERS_MOST) {
		name = "(others)";
		at = find_taker(t, cause, name);
	}
	if (at < t->n_takers)
		return (uint32_t)at;
	ET_GROW(t->takers, t->n_takers, t->cap_takers);
	struct et_taker *taker = &t->takers[t->n_takers];
	*taker = (struct et_taker){ .cause = cause };
	snprintf(taker->name, sizeof(taker->name), "%s", name);
	return (uint32_t)t->n_takers++;
}

void et_trace_add_stretch(struct et_trace *t, struct et_stretch s)
{
	struct et_stretch *last = t->n_stretches ? &t->stretches[t->n_stretches - 1] : NULL;

	if (last && last->taker == s.taker && last->to_ns == s.from_ns) {
		last->to_ns = s.to_ns;
		return;
	}
	if (t->n_stretches == ET_TRACE_MOST) {
		t->stretches_cut = true;
		return;
	}
	ET_GROW(t->stretches, t->n_stretches, t->cap_stretches);
	t->stretches[t->n_stretches++] = s;
}

void et_trace_add_tick(struct et_trace *t, struct et_tick tick)
{
	if (t->n_ticks == ET_TRACE_MOST) {
		t->n_ticks /= 2;
		memmove(t->ticks, t->ticks + t->n_ticks, t->n_ticks * sizeof(*t->ticks));
	}
	ET_GROW(t->ticks, t->n_ticks, t->cap_ticks);
	t->ticks[t->n_ticks++] = tick;
	t->timer.n++;
	if (tick.charged == ET_TICK_SELF)
		t->self_ticks++;
	else if (tick.charged == ET_TICK_IDLE)
		t->idle_ticks++;
	else if (tick.charged == ET_TICK_OTHER)
		t->other_ticks++;
	else
		t->takers[tick.charged].ticks++;
}

static void sum(struct et_trace *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct et_inactive *p = &t->list[i];
		t->by_cause[p->cause].count++;
		t->by_cause[p->cause].ns += p->duration_ns;
		t->inactive_ns += p->duration_ns;
		if (p->taker != ET_NOBODY && !t->takers[p->taker].exact) {
			t->takers[p->taker].count++;
			t->takers[p->taker].ns += p->duration_ns;
		}
	}
}

void et_trace_drop(struct et_trace *t)
{
	size_t half = t->n / 2;

	sum(t, half);
	memmove(t->list, t->list + half, (t->n - half) * sizeof(*t->list));
	t->n -= half;
	t->dropped += half;
}

void et_trace_sum(struct et_trace *t)
{
	sum(t, t->n);
}

static uint64_t to_ns(uint64_t ticks, double hz)
{
	return (uint64_t)llround((double)ticks / hz * 1e9);
}

void et_trace_set_rate(struct et_trace *t, double hz)
{
	t->hz = hz;
	t->total_ns = to_ns(t->total, hz);
	for (size_t i = 0; i < t->n; i++) {
		struct et_inactive *p = &t->list[i];
		p->start_ns = to_ns(p->start, hz);
		/* Round the end, so that periods neither leave gaps nor overlap. */
		p->duration_ns = to_ns(p->start + p->duration, hz) - p->start_ns;
	}
	for (size_t i = 0; i < t->n_ticks; i++)
		t->ticks[i].at_ns = to_ns(t->ticks[i].at, hz);
}

double et_trace_active(const struct et_trace *t)
{
	if (!t->total_ns)
		return NAN;
	return t->inactive_ns < t->total_ns ? 1 - (double)t->inactive_ns / (double)t->total_ns : 0;
}
