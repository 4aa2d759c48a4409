/* SPDX-License-Identifier: MIT */
/* The loop of a benchmark and what its function may ask or tell. */
#include "lib/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_NS = 20000, FIRST_CAPACITY = 1024 };

static const uint64_t MAX_CALLS = UINT64_C(1) << 32;

static uint64_t begin_sample(struct etalon_state *s)
{
	s->paused_ticks = 0;
	s->cpu = s->t->cpu_ns(s->t->ctx);
	s->start = s->t->start(s->t->ctx);
	return s->calls;
}

uint64_t etalon_loop_first(struct etalon_state *s)
{
	if (s->out->error)
		return 0;
	s->calls = s->q->calls ? s->q->calls : 1;
	s->choosing = !s->q->calls;
	s->end_ns = s->t->now_ns(s->t->ctx) + (uint64_t)s->q->duration_ns;
	return begin_sample(s);
}

static void record(struct etalon_state *s, double ticks, double cpu_ns)
{
	struct et_slice *o = s->out;

	if (o->n == s->capacity)
		return;
	o->samples[o->n++] = (struct et_bench_sample){
		.ns = ticks / s->t->hz * 1e9 / (double)s->calls,
		.cpu_ns = cpu_ns / (double)s->calls,
	};
}

uint64_t etalon_loop_next(struct etalon_state *s)
{
	uint64_t stop = s->t->stop(s->t->ctx), cpu = s->t->cpu_ns(s->t->ctx);
	double ticks = fmax((double)(stop - s->start) - s->paused_ticks - s->t->overhead, 0);

	s->iterations += s->calls;
	if (s->choosing && ticks / s->t->hz * 1e9 < SAMPLE_NS && s->calls < MAX_CALLS) {
		s->calls *= 2;
		return s->out->error ? 0 : begin_sample(s);
	}
	s->choosing = false;
	s->out->calls = s->calls;
	record(s, ticks, (double)(cpu - s->cpu));
	if (s->out->error || s->out->n >= s->q->max_samples || s->out->n >= s->capacity ||
		s->t->now_ns(s->t->ctx) >= s->end_ns)
		return 0;
	return begin_sample(s);
}

void etalon_pause(struct etalon_state *s)
{
	s->paused_at = s->t->stop(s->t->ctx);
}

void etalon_resume(struct etalon_state *s)
{
	s->paused_ticks += (double)(s->t->start(s->t->ctx) - s->paused_at);
}

void etalon_set_time(struct etalon_state *s, double ns)
{
	(void)s;
	(void)ns;
}

void *etalon_arg(const struct etalon_state *s)
{
	return s->c->bench->arg;
}

const char *etalon_name(const struct etalon_state *s)
{
	return s->c->name ? s->c->name : "";
}

int64_t etalon_param(const struct etalon_state *s, size_t i)
{
	return i < s->c->n_params ? s->c->params[i] : 0;
}

uint64_t etalon_iterations(const struct etalon_state *s)
{
	return s->iterations;
}

unsigned etalon_thread(const struct etalon_state *s)
{
	return s->thread;
}

unsigned etalon_threads(const struct etalon_state *s)
{
	return s->c->threads;
}

void etalon_set_items(struct etalon_state *s, double per_iteration)
{
	s->out->items = per_iteration;
}

void etalon_set_bytes(struct etalon_state *s, double per_iteration)
{
	s->out->bytes = per_iteration;
}

void etalon_set_size(struct etalon_state *s, double n)
{
	s->out->size = n;
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = with ? strdup(with) : NULL;
}

void etalon_set_label(struct etalon_state *s, const char *label)
{
	replace(&s->out->label, label);
}

void etalon_fail(struct etalon_state *s, const char *why)
{
	replace(&s->out->error, why ? why : "failed");
}

void etalon_set_counter(struct etalon_state *s, const char *name, double value, unsigned kind)
{
	struct et_slice *o = s->out;
	struct et_bench_counter *grown;

	for (size_t i = 0; i < o->n_counters; i++) {
		if (!strcmp(o->counters[i].name, name)) {
			o->counters[i].value = value;
			o->counters[i].kind = kind;
			return;
		}
	}
	grown = reallocarray(o->counters, o->n_counters + 1, sizeof(*grown));
	if (!grown)
		return;
	o->counters = grown;
	grown[o->n_counters] =
		(struct et_bench_counter){ .name = strdup(name), .value = value, .kind = kind };
	o->n_counters += grown[o->n_counters].name != NULL;
}

/* A function without a loop of its own. */
static void call_function(struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;

	ETALON_LOOP(s)
	{
		b->fn(b->arg);
	}
}

int et_slice_take(const struct et_bench_case *c, const struct et_slice_request *q,
	struct et_timebase *t, struct et_slice *out)
{
	struct etalon_state s = { .c = c, .q = q, .t = t, .out = out };

	*out = (struct et_slice){ .hz = t->hz, .clock = t->clock, .size = NAN, .wall_ns = NAN };
	for (int i = 0; i < ET_EVENTS; i++)
		out->events[i] = NAN;
	s.capacity = q->max_samples < FIRST_CAPACITY ? q->max_samples : FIRST_CAPACITY;
	out->samples = calloc(s.capacity, sizeof(*out->samples));
	if (!out->samples)
		return ETALON_NO_MEMORY;
	if (c->bench->body)
		c->bench->body(&s);
	else
		call_function(&s);
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
