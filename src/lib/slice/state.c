/* SPDX-License-Identifier: MIT */
/*
 * The loop of a benchmark. The function that contains it asks for the number of iterations of each
 * sample; in between, this file warms up, chooses that number, and records the samples. The
 * loop does not allocate, print or lock anything.
 */
#include "lib/slice/state.h"

enum {
	SAMPLE_NS = 20000,        /* long enough for the clock */
	CPU_SAMPLE_NS = 200000,   /* the CPU time is read more slowly */
	CREW_SAMPLE_NS = 1000000, /* threads do not compete between samples: have few */
	AROUND_NS = 15000,        /* time between samples */
	PAUSED_TIMES = 50,        /* a sample with pauses may take this many times as long */
	LONG_NS = 100000000,
	COUNT_NS = 50000000, /* so long that reading the events does not matter */
	COUNT_SHARE = 8,     /* of the duration, for counting events after the samples */
	TRIES = 3,
	LONG_TRIES = 2,
	GROWTH = 10,            /* of the number of calls, at most */
	WARM_SHARE = 20,        /* of the duration, for the warm-up */
	REPEATED_NS = 30000000, /* the longest window to repeat */
	WINDOW_SHARE = 2,       /* samples take this many times as long as measuring interrupts */
	PAIRS = 64,
	REPEATS = 9,
};

static const uint64_t MAX_CALLS = UINT64_C(1) << 32;

/* Calls in a sample of the current number of iterations. */
static double calls_of(const struct etalon_state *s)
{
	return (double)s->calls * (double)s->batch;
}

static uint64_t now(const struct etalon_state *s)
{
	const struct et_timebase *t = s->sampler.t;

	return t->now_ns(t->ctx);
}

/* Long samples can be counted as they are; others would be disturbed, and are counted apart. */
static bool counts_events(const struct etalon_state *s)
{
	bool is_long = s->tries && et_sampler_ns(&s->sampler, s->least) > COUNT_NS;

	return s->has_events && (s->phase == ET_STATE_COUNTING || is_long);
}

static uint64_t begin_sample(struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;

	s->paused_ticks = s->given_ns = 0;
	s->pauses = s->given = 0;
	if (s->phase == ET_STATE_SAMPLING)
		et_sampler_ready(&s->sampler);
	if (b->before && !b->body)
		b->before(b->arg);
	et_sampler_start(&s->sampler);
	if (counts_events(s))
		et_pmu_start(&s->events);
	return s->calls;
}

static void resume_now(struct etalon_state *s)
{
	uint64_t at = s->sampler.t->start(s->sampler.t->ctx);

	if (at > s->paused_at)
		s->paused_ticks += (double)(at - s->paused_at);
	s->pauses++;
	s->paused_at = 0;
}

/* Ends a sample. *net is its ticks without pauses. */
static void end_sample(struct etalon_state *s, struct et_timed *x, double *net)
{
	const struct etalon_bench *b = s->c->bench;

	if (s->paused_at) /* a pause ends with the sample, at the latest */
		resume_now(s);
	if (s->events.on) {
		et_pmu_stop(&s->events);
		et_pmu_block(&s->events, calls_of(s));
	}
	et_sampler_stop(&s->sampler, x);
	if (b->after && !b->body)
		b->after(b->arg);
	if (s->phase == ET_STATE_SAMPLING)
		et_sampler_observed(&s->sampler, x);
	*net = fmax(x->ticks - s->paused_ticks - (double)s->pauses * s->pause_cost, 0);
	s->iterations += s->calls;
	s->loop_ns += s->given ? s->given_ns : et_sampler_ns(&s->sampler, *net);
}

/* Samples are long enough for the clock, and max_samples of them take the whole duration. */
static double target_ns(const struct etalon_state *s)
{
	double least = s->o.clock == ETALON_CLOCK_CPU ? CPU_SAMPLE_NS : SAMPLE_NS;

	if (s->crew)
		least = CREW_SAMPLE_NS;
	return fmax(least, s->q->duration_ns / (double)s->capacity - AROUND_NS);
}

static uint64_t given_calls(const struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;

	if (s->q->calls)
		return s->q->calls;
	if (s->o.calls)
		return s->o.calls;
	if (b->calls)
		return b->calls;
	return (!b->body && (b->before || b->after)) || s->sampler.t->cache;
}

/* Threads leave the loop together, failed ones too: others may still use what is freed after it. */
static uint64_t leave_loop(struct etalon_state *s)
{
	if (s->crew && !s->left_crew) {
		s->left_crew = true;
		et_crew_leave_together(s->crew);
	}
	return 0;
}

uint64_t etalon_loop_first(struct etalon_state *s)
{
	if (s->phase != ET_STATE_UNUSED && !s->out->error)
		etalon_fail(
			s, "its function runs ETALON_LOOP more than once: use one per function");
	if (s->out->error)
		return leave_loop(s);
	if (s->crew)
		et_crew_meet(s->crew);
	s->phase = ET_STATE_WARMING;
	s->calls = (given_calls(s) + s->batch - 1) / s->batch;
	s->fixed = s->calls > 0;
	s->calls = s->fixed ? s->calls : 1;
	s->target_ns = target_ns(s);
	/* One sample of a long function: there is no time for another to warm up. */
	if (s->fixed && s->q->duration_ns <= 0 && !s->crew) {
		et_sampler_probe(&s->sampler);
		s->out->calls = s->calls * s->batch;
		s->phase = ET_STATE_SAMPLING;
		return begin_sample(s);
	}
	s->end_ns = now(s) + (uint64_t)(s->q->duration_ns / WARM_SHARE);
	return begin_sample(s);
}

static void record(struct etalon_state *s, const struct et_timed *x, double net)
{
	struct et_slice *o = s->out;
	double calls = calls_of(s);
	double paused = s->paused_ticks + (double)s->pauses * s->pause_cost;
	double cpu_ns = fmax(x->cpu_ns - et_sampler_ns(&s->sampler, paused), 0) / calls;
	double ns = o->clock == ETALON_CLOCK_CPU ? cpu_ns : et_sampler_ns(&s->sampler, net) / calls;

	if (x->backwards) {
		o->warnings |= ETALON_WARNING_BACKWARDS;
		return;
	}
	/* Times that the function gives, or pauses, say nothing about how long a sample takes. */
	if (s->given || s->pauses)
		o->sample_ns +=
			(et_sampler_ns(&s->sampler, x->ticks) - o->sample_ns) / (double)(o->n + 1);
	ns = fmax(ns - o->empty_ns, 0);
	if (s->given) /* whatever it is a time of, the CPU time does not tell it */
		ns = cpu_ns = s->given_ns / (double)s->given / (double)s->batch;
	o->samples[o->n] = (struct et_bench_sample){
		.ns = ns,
		.cpu_ns = cpu_ns,
		.slowdown = x->reference, /* until the full speed is known, at the end */
		.marks = (x->preempted ? ET_BENCH_PREEMPTED : 0u) | (o->n ? 0u : ET_BENCH_FIRST),
	};
	o->n++;
}

static void more_calls(struct etalon_state *s)
{
	double least_ns = et_sampler_ns(&s->sampler, s->least);
	double factor = least_ns > 0 ? 1.05 * s->target_ns / least_ns : GROWTH;
	uint64_t calls = (uint64_t)ceil((double)s->calls * fmin(factor, GROWTH));

	/* A multiple of 8: et_call_many calls in blocks of this size. */
	s->calls = calls > 32 ? (calls + 7) / 8 * 8 : calls + (calls == s->calls);
	s->tries = 0;
}

/*
 * Finds the number of calls that is long enough. The first may fill a table, and any may be
 * preempted, so the shortest of a few tries decides. Returns whether the warm-up is complete.
 */
static bool warmed_up(struct etalon_state *s, const struct et_timed *x, double net)
{
	if (!s->tries++ || net < s->least) {
		s->least = net;
		s->shortest = *x;
	}
	/* A call that takes as long as a slice is a sample, unless the next is far shorter. */
	if (et_sampler_ns(&s->sampler, x->ticks) >= s->q->duration_ns) {
		record(s, x, net);
		return s->fixed || s->out->n >= LONG_TRIES || s->out->n >= s->capacity;
	}
	if (!s->fixed) {
		if (s->tries < (s->shortest.cpu_ns < LONG_NS ? TRIES : LONG_TRIES))
			return false;
		if (et_sampler_ns(&s->sampler, s->least) < 0.8 * s->target_ns &&
			et_sampler_ns(&s->sampler, s->shortest.ticks) <
				PAUSED_TIMES * s->target_ns &&
			s->calls < MAX_CALLS) {
			more_calls(s);
			s->out->n = 0;
			return false;
		}
	}
	return now(s) >= s->end_ns || et_sampler_ns(&s->sampler, x->ticks) * 2 > s->q->duration_ns;
}

static void measure_empty(struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;
	double ns = et_sampler_ns(&s->sampler, s->least) / (double)s->calls;
	struct et_empty e;

	if (s->given)
		return;
	if (b->body)
		e = et_empty_loop(s->sampler.t, ns);
	else
		e = et_empty_call(s->sampler.t, b->fn, b->arg, ns, s->calls,
			!b->before && !b->after && s->calls > 1);
	s->out->empty_ns = e.ns / (double)s->batch;
	s->out->empty_uncertainty_ns = e.uncertainty_ns / (double)s->batch;
}

static double cpu_now(const struct etalon_state *s)
{
	return (double)s->sampler.t->cpu_ns(s->sampler.t->ctx);
}

static uint64_t end_sampling(struct etalon_state *s)
{
	if (s->crew) {
		s->span.to_ns = now(s);
		s->span.cpu_ns += cpu_now(s);
	}
	et_sampler_rest(&s->sampler);
	s->phase = ET_STATE_ENDED;
	if (!s->has_events || s->events.n_blocks || s->out->error)
		return 0;
	s->phase = ET_STATE_COUNTING;
	s->end_ns = now(s) + (uint64_t)(s->q->duration_ns / COUNT_SHARE);
	return begin_sample(s);
}

static uint64_t count_on(struct etalon_state *s)
{
	struct et_timed x;
	double net;

	end_sample(s, &x, &net);
	if (!s->out->error && s->events.n_blocks < ET_EVENT_BLOCKS && now(s) < s->end_ns)
		return begin_sample(s);
	s->phase = ET_STATE_ENDED;
	return 0;
}

/* For a third of the time, if even the shortest sample is long enough to have met an interrupt. */
static void measure_interrupts(struct etalon_state *s, const struct et_timed *x)
{
	double least_ns = fmin(s->sampler.least_ns, x->cpu_ns);

	s->sampler.least_ns = least_ns;
	if (!s->o.compensate || s->pauses || s->given ||
		!et_sampler_meets_interrupts(&s->sampler, least_ns) ||
		s->window_ns * WINDOW_SHARE > s->loop_ns)
		return;
	/* A single window may lose more than the single sample did: the least of three does not. */
	bool single = s->q->duration_ns <= 0 && x->cpu_ns < REPEATED_NS;
	uint64_t from = now(s);
	for (int i = 0; i < (single ? 3 : 1); i++)
		et_sampler_interrupts(&s->sampler, x->cpu_ns);
	s->window_ns += (double)(now(s) - from);
}

static uint64_t begin_sampling(struct etalon_state *s)
{
	s->out->calls = s->calls * s->batch;
	et_sampler_expect(&s->sampler, &s->shortest);
	if (s->out->n >= LONG_TRIES || s->out->n >= s->capacity) {
		measure_interrupts(s, &s->shortest);
		return end_sampling(s);
	}
	measure_empty(s);
	if (s->crew) {
		et_crew_meet(s->crew);
		s->span.from_ns = now(s);
		s->span.cpu_ns = -cpu_now(s);
	}
	s->phase = ET_STATE_SAMPLING;
	s->end_ns = now(s) + (uint64_t)s->q->duration_ns;
	return begin_sample(s);
}

static bool enough(const struct etalon_state *s)
{
	const struct et_slice *o = s->out;

	return o->error || o->n >= s->capacity || (o->n > 0 && now(s) >= s->end_ns);
}

static uint64_t next_sample(struct etalon_state *s)
{
	struct et_timed x;
	double net;

	if (s->phase == ET_STATE_COUNTING)
		return count_on(s);
	if (s->phase != ET_STATE_WARMING && s->phase != ET_STATE_SAMPLING)
		return 0;
	end_sample(s, &x, &net);
	if (s->out->error)
		return end_sampling(s);
	if (s->phase == ET_STATE_WARMING)
		return warmed_up(s, &x, net) ? begin_sampling(s) : begin_sample(s);
	record(s, &x, net);
	s->span.calls += s->calls * s->batch;
	s->span.sampled_cpu_ns += x.cpu_ns;
	measure_interrupts(s, &x);
	et_sampler_rest_if_due(&s->sampler);
	return enough(s) ? end_sampling(s) : begin_sample(s);
}

uint64_t etalon_loop_next(struct etalon_state *s)
{
	uint64_t calls = next_sample(s);

	return calls ? calls : leave_loop(s);
}

/* Measures the part of a pause that counts as timed, in ticks: the shortest of some repeats. */
static void learn_pause_cost(struct etalon_state *s)
{
	const struct et_timebase *t = s->sampler.t;
	uint64_t paused_at = s->paused_at, pauses = s->pauses;
	double paused_ticks = s->paused_ticks;

	s->pause_known = true;
	s->paused_at = 0;
	for (int i = 0; i < REPEATS; i++) {
		s->paused_ticks = 0;
		uint64_t t0 = t->start(t->ctx);
		for (int k = 0; k < PAIRS; k++) {
			etalon_pause(s);
			etalon_resume(s);
		}
		uint64_t t1 = t->stop(t->ctx);
		double cost = fmax((double)(t1 - t0) - t->overhead - s->paused_ticks, 0) / PAIRS;
		s->pause_cost = i ? fmin(s->pause_cost, cost) : cost;
	}
	s->paused_at = paused_at;
	s->pauses = pauses;
	s->paused_ticks = paused_ticks;
}

void etalon_pause(struct etalon_state *s)
{
	if (s->paused_at)
		return;
	s->paused_at = s->sampler.t->stop(s->sampler.t->ctx);
	if (counts_events(s))
		et_pmu_stop(&s->events);
}

void etalon_resume(struct etalon_state *s)
{
	if (!s->paused_at)
		return;
	if (!s->pause_known)
		learn_pause_cost(s);
	if (counts_events(s))
		et_pmu_start(&s->events);
	resume_now(s);
}

void etalon_set_time(struct etalon_state *s, double ns)
{
	s->given_ns += ns;
	s->given++;
}

/* --- the values that the function may ask for, and those that it may set --- */

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

	for (size_t i = 0; i < o->n_counters; i++) {
		if (!strcmp(o->counters[i].name, name)) {
			o->counters[i].value = value;
			o->counters[i].kind = kind;
			return;
		}
	}
	struct et_bench_counter *grown =
		reallocarray(o->counters, o->n_counters + 1, sizeof(*grown));
	if (!grown)
		return;
	o->counters = grown;
	grown[o->n_counters] =
		(struct et_bench_counter){ .name = strdup(name), .value = value, .kind = kind };
	o->n_counters += grown[o->n_counters].name != NULL;
}
