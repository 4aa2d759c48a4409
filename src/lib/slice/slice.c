/* SPDX-License-Identifier: MIT */
/* One slice from its preparation to its end: all that happens outside the loop. */
#include "lib/slice/state.h"
#include "lib/time/empty.h"
#include "lib/time/kbest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_SAMPLES = 1 << 20,
	LEAST_SPIN_NS = 2000000,
	MAX_WINDOW_NS = 100000000,
	SPIN_SHARE = 8, /* of the duration, to learn whether interrupts count as CPU time */
};

/* A function without a loop of its own. */
static void call_function(struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;

	for (uint64_t n = etalon_loop_first(s); n > 0; n = etalon_loop_next(s))
		et_call_many(b->fn, b->arg, n);
}

/* Memory that is touched for the first time within a sample would be a page fault there. */
static void touch(volatile unsigned char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		memory[i] = 0;
}

int et_state_init(struct etalon_state *s, const struct et_bench_case *c,
	const struct et_slice_request *q, struct et_timebase *t, struct et_slice *out)
{
	size_t most = q->max_samples < MOST_SAMPLES ? q->max_samples : MOST_SAMPLES;
	int rc;

	*s = (struct etalon_state){
		.c = c, .q = q, .out = out, .capacity = most ? most : 1, .batch = 1
	};
	out->hz = t->hz;
	out->clock = q->kbest->clock == ETALON_CLOCK_CPU ? ETALON_CLOCK_CPU : t->clock;
	out->warnings = t->warnings;
	out->size = out->wall_ns = NAN;
	for (int i = 0; i < ET_EVENTS; i++)
		out->events[i] = NAN;
	rc = et_kbest_opts_complete(q->kbest, &s->o);
	if (rc)
		return rc;
	et_sampler_init(&s->sampler, t, &s->o);
	s->sampler.switch_wait_ns = 0;
	s->sampler.first_spin_ns = (uint64_t)fmax(q->duration_ns / SPIN_SHARE, LEAST_SPIN_NS);
	s->sampler.max_window_ns = MAX_WINDOW_NS;
	s->sampler.patience = 1;
	out->samples = calloc(s->capacity, sizeof(*out->samples));
	if (!out->samples)
		return ETALON_NO_MEMORY;
	touch((volatile unsigned char *)out->samples, s->capacity * sizeof(*out->samples));
	if (s->o.cache == ETALON_CACHE_WARM)
		return ETALON_OK;
	rc = et_cache_prepare(&s->cache, c->bench->fn, &s->o, &out->warnings);
	if (rc == ETALON_OK)
		t->cache = &s->cache;
	return rc;
}

void et_state_set_up(struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;

	if (b->setup)
		b->setup(b->arg);
	if (b->setup_state)
		b->setup_state(s);
}

void et_state_run(struct etalon_state *s)
{
	s->has_events = et_pmu_open(s->q->events ? s->q->events : et_event_types, &s->events);
	s->out->events_error = s->events.error;
	s->out->events_user_only = s->events.user_only;
	if (!s->out->error) {
		if (s->c->bench->body)
			s->c->bench->body(s);
		else
			call_function(s);
	}
	/* The loop was left by break, or by an exception that the function caught. */
	et_sampler_rest(&s->sampler);
	et_pmu_close(&s->events, s->out->events);
}

void et_state_tear_down(struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;

	if (b->teardown_state)
		b->teardown_state(s);
	if (b->teardown)
		b->teardown(b->arg);
}

static void finish_counter(const struct etalon_state *s, struct et_bench_counter *c)
{
	double iterations = (double)etalon_iterations(s);

	if (c->kind & ETALON_COUNTER_TIMES_ITERATIONS)
		c->value *= iterations;
	if (c->kind & ETALON_COUNTER_PER_ITERATION)
		c->value /= iterations;
	if (c->kind & ETALON_COUNTER_RATE)
		c->value /= s->loop_ns / 1e9;
	if (c->kind & ETALON_COUNTER_INVERT)
		c->value = 1 / c->value;
}

/* Samples have the ticks of the reference loop so far. */
static void mark_slow(const struct et_sampler *p, struct et_bench_sample *x)
{
	x->slowdown = et_sampler_slowdown(p, x->slowdown);
	if (x->slowdown > ET_NOTABLE_SLOWDOWN)
		x->marks |= ET_BENCH_SLOW;
}

/*
 * Whether the windows tell how much interrupts took of every sample. A window that is shorter than
 * a tick may meet a timer interrupt although samples as long do not, so there must be several.
 */
static bool knows_interrupts(const struct et_sampler *p)
{
	return p->loss.best.n && et_sampler_meets_interrupts(p, p->least_ns) &&
	       (p->least_ns >= p->t->tick_ns || et_sampler_enough_windows(p));
}

/*
 * Subtracts the least time that interrupts took of windows as long as a sample. Samples lost at
 * least as much, so that the shortest is not made too short, and the others keep what they lost
 * more.
 */
static void compensate(struct etalon_state *s)
{
	const struct et_sampler *p = &s->sampler;
	double calls = (double)(s->calls * s->batch), uncertainty, ns, cpu_ns;
	struct et_slice *o = s->out;

	cpu_ns = et_sampler_least_loss(p, p->least_ns, true, &uncertainty) / calls;
	ns = et_sampler_least_loss(p, p->least_ns, false, &uncertainty) / calls;
	if (o->clock == ETALON_CLOCK_CPU)
		ns = cpu_ns;
	for (size_t i = 0; i < o->n; i++) {
		o->samples[i].ns = fmax(o->samples[i].ns - ns, 0);
		o->samples[i].cpu_ns = fmax(o->samples[i].cpu_ns - cpu_ns, 0);
	}
	o->floor_loss_ns = ns;
	/* A single window does not tell how far it is from the least. */
	o->floor_loss_uncertainty_ns = p->loss.best.n > 1 ? uncertainty / calls : ns;
}

void et_state_finish(struct etalon_state *s)
{
	const struct et_sampler *p = &s->sampler;
	struct et_slice *o = s->out;

	for (size_t i = 0; i < o->n; i++)
		mark_slow(p, &o->samples[i]);
	o->overhead_ns = et_sampler_ns(p, p->t->overhead);
	if (knows_interrupts(p) && s->calls)
		compensate(s);
	for (size_t i = 0; i < o->n; i++)
		if (o->samples[i].ns < 3 * o->empty_uncertainty_ns)
			o->warnings |= ETALON_WARNING_OVERHEAD;
	for (size_t i = 0; i < o->n_counters; i++)
		finish_counter(s, &o->counters[i]);
	if (s->iterations)
		o->loop_ns = s->loop_ns / (double)etalon_iterations(s);
	if (!o->n && !o->error)
		etalon_fail(s, s->phase == ET_STATE_UNUSED
				       ? "its function contains no ETALON_LOOP"
				       : "its ETALON_LOOP did not run to the end");
	if (!p->t->cache)
		return;
	o->warnings |= et_cache_verdict(&s->cache);
	et_cache_release(&s->cache);
	p->t->cache = NULL;
}

int et_slice_take(const struct et_bench_case *c, const struct et_slice_request *q,
	struct et_timebase *t, struct et_slice *out)
{
	struct etalon_state s;
	int rc;

	if (c->threads > 1)
		return et_slice_take_threads(c, q, t, out);
	*out = (struct et_slice){ 0 };
	rc = et_state_init(&s, c, q, t, out);
	if (rc)
		return rc;
	et_state_set_up(&s);
	et_state_run(&s);
	et_state_tear_down(&s);
	et_state_finish(&s);
	return ETALON_OK;
}

void et_slice_free(struct et_slice *s)
{
	for (size_t i = 0; i < s->n_counters; i++)
		free(s->counters[i].name);
	free(s->counters);
	free(s->samples);
	free(s->label);
	free(s->error);
	*s = (struct et_slice){ 0 };
}
