/* SPDX-License-Identifier: MIT */
/* The values that the function of a benchmark may ask for, and those that it may set. */
#include "lib/slice/state.h"

#include <stdlib.h>
#include <string.h>

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
	return s->iterations * s->batch;
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
	s->out->skipped = false;
}

void etalon_skip(struct etalon_state *s, const char *why)
{
	if (s->out->error && !s->out->skipped) /* it has failed already */
		return;
	replace(&s->out->error, why ? why : "skipped");
	s->out->skipped = true;
}

void etalon_set_batch(struct etalon_state *s, uint64_t calls)
{
	if (s->phase == ET_STATE_UNUSED && calls)
		s->batch = calls;
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
