/* SPDX-License-Identifier: MIT */
/* One slice: what happens outside the loop, and the threads of a case that has several. */
#include "lib/slice/state.h"
#include "lib/time/kbest.h"

#include <sched.h>

enum {
	MOST_SAMPLES = 1 << 20,
	LEAST_SPIN_NS = 2000000,
	MAX_WINDOW_NS = 100000000,
	SPIN_SHARE = 8, /* of the duration, to learn whether interrupts count as CPU time */
};

/* Memory that is touched for the first time within a sample would be a page fault there. */
static void touch(volatile unsigned char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		memory[i] = 0;
}

static int state_init(struct etalon_state *s, const struct et_bench_case *c,
	const struct et_slice_request *q, struct et_timebase *t, struct et_slice *out)
{
	size_t most = q->max_samples < MOST_SAMPLES ? q->max_samples : MOST_SAMPLES;

	*s = (struct etalon_state){
		.c = c, .q = q, .out = out, .capacity = most ? most : 1, .batch = 1
	};
	out->hz = t->hz;
	out->clock = q->kbest->clock == ETALON_CLOCK_CPU ? ETALON_CLOCK_CPU : t->clock;
	out->warnings = t->warnings;
	out->size = out->wall_ns = NAN;
	for (int i = 0; i < ET_EVENTS; i++)
		out->events[i] = NAN;
	int rc = et_kbest_opts_complete(q->kbest, &s->o);
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

static void state_set_up(struct etalon_state *s)
{
	const struct etalon_bench *b = s->c->bench;

	if (b->setup)
		b->setup(b->arg);
	if (b->setup_state)
		b->setup_state(s);
}

static void state_run(struct etalon_state *s)
{
	s->has_events = et_pmu_open(s->q->events ? s->q->events : et_event_types, &s->events);
	s->out->events_error = s->events.error;
	s->out->events_user_only = s->events.user_only;
	if (!s->out->error) {
		const struct etalon_bench *b = s->c->bench;

		if (b->body)
			b->body(s);
		else /* a function without a loop of its own */
			for (uint64_t n = etalon_loop_first(s); n > 0; n = etalon_loop_next(s))
				et_call_many(b->fn, b->arg, n);
	}
	/* The loop was left by break, or by an exception that the function caught. */
	et_sampler_rest(&s->sampler);
	et_pmu_close(&s->events, s->out->events);
}

static void state_tear_down(struct etalon_state *s)
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
 * least as much, so the shortest is not too short, and others keep what they lost more.
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

static void state_finish(struct etalon_state *s)
{
	const struct et_sampler *p = &s->sampler;
	struct et_slice *o = s->out;

	for (size_t i = 0; i < o->n; i++) {
		struct et_bench_sample *x = &o->samples[i];

		x->slowdown = et_sampler_slowdown(p, x->slowdown); /* ticks of the loop so far */
		if (x->slowdown > ET_NOTABLE_SLOWDOWN)
			x->marks |= ET_BENCH_SLOW;
	}
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

/* --- several threads --- */

struct member {
	pthread_t thread;
	struct etalon_state state;
	struct et_slice slice;
	struct et_timebase timebase;
};

void et_crew_meet(struct et_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	unsigned meeting = crew->meetings;
	if (++crew->waiting == crew->members) {
		crew->waiting = 0;
		crew->meetings++;
		pthread_cond_broadcast(&crew->all_here);
	}
	while (meeting == crew->meetings)
		pthread_cond_wait(&crew->all_here, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

/* The caller holds the lock. */
static void depart(struct et_crew *crew)
{
	crew->members--;
	if (crew->members && crew->waiting == crew->members) {
		crew->waiting = 0;
		crew->meetings++;
	}
	pthread_cond_broadcast(&crew->all_here);
}

static void leave(struct et_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	depart(crew);
	pthread_mutex_unlock(&crew->lock);
}

void et_crew_leave_together(struct et_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	depart(crew);
	while (crew->members)
		pthread_cond_wait(&crew->all_here, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void *work(void *arg)
{
	struct member *m = arg;

	state_run(&m->state);
	/* Its loop did not run to the end: left by break, or never begun. */
	if (!m->state.left_crew)
		leave(m->state.crew);
	return NULL;
}

/* Adds the samples of a thread to those of all. */
static bool add_samples(struct et_slice *all, const struct et_slice *one)
{
	struct et_bench_sample *grown =
		reallocarray(all->samples, all->n + one->n + 1, sizeof(*grown));

	if (!grown)
		return false;
	all->samples = grown;
	memcpy(grown + all->n, one->samples, one->n * sizeof(*grown));
	all->n += one->n;
	return true;
}

/* How many CPUs the threads run on at the same time. */
static unsigned cpus_for(unsigned threads)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return threads;
	unsigned n = (unsigned)CPU_COUNT(&allowed);
	return n && n < threads ? n : threads;
}

/*
 * Calls per ns of all threads: by the elapsed time of their samples and of everything between these
 * that took them from a CPU, less the CPU time that the library needed in between. If they take
 * turns on a CPU, the time is that of all of them: each begins and ends with a turn of its own.
 */
static double calls_by_span(const struct member *list, unsigned threads, unsigned cpus)
{
	uint64_t from = UINT64_MAX, to = 0;
	double between = 0, sum = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct et_bench_span *s = &list[i].state.span;

		from = s->from_ns < from ? s->from_ns : from;
		to = s->to_ns > to ? s->to_ns : to;
		between += fmax(s->cpu_ns - s->sampled_cpu_ns, 0) / cpus;
	}
	for (unsigned i = 0; i < threads; i++) {
		const struct et_bench_span *s = &list[i].state.span;
		uint64_t ns = threads > cpus ? to - from : s->to_ns - s->from_ns;

		sum += (double)s->calls / fmax((double)ns - between, 1);
	}
	return sum;
}

/* The same by the samples alone. */
static double calls_by_samples(const struct member *list, unsigned threads)
{
	double sum = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct et_slice *s = &list[i].slice;
		double ns = 0;

		for (size_t k = 0; k < s->n; k++)
			ns += s->samples[k].ns;
		sum += s->n ? 1 / (ns / (double)s->n) : 0;
	}
	return sum;
}

/* Calls longer than the slice have no span; with pauses or given times, it says nothing. */
static bool have_spans(const struct member *list, unsigned threads)
{
	for (unsigned i = 0; i < threads; i++) {
		const struct et_bench_span *s = &list[i].state.span;

		if (!s->calls || s->to_ns <= s->from_ns || list[i].slice.sample_ns > 0)
			return false;
	}
	return true;
}

/* Returns wall_ns of the slice. *slower: how much longer that is than the samples alone say. */
static double wall_ns(const struct member *list, unsigned threads, unsigned cpus, double *slower)
{
	double per_ns = calls_by_samples(list, threads), span_per_ns;

	*slower = 1;
	if (!(per_ns > 0) || !have_spans(list, threads))
		return per_ns > 0 ? threads / per_ns : NAN;
	span_per_ns = calls_by_span(list, threads, cpus);
	*slower = per_ns / span_per_ns;
	return fmax(threads / span_per_ns - list[0].slice.empty_ns * threads / cpus, 0);
}

/* Rates are by the time of samples so far, which is too short by this factor. */
static void finish_counters(struct et_slice *all, unsigned threads, double slower)
{
	for (size_t i = 0; i < all->n_counters; i++) {
		struct et_bench_counter *c = &all->counters[i];

		if (c->kind & ETALON_COUNTER_PER_THREAD)
			c->value /= threads;
		if (c->kind & ETALON_COUNTER_RATE)
			c->value *= c->kind & ETALON_COUNTER_INVERT ? slower : 1 / slower;
	}
}

static bool merge(const struct et_bench_case *c, struct member *list, struct et_slice *out)
{
	unsigned cpus = cpus_for(c->threads);
	double slower, wall = wall_ns(list, c->threads, cpus, &slower);

	*out = list[0].slice;
	list[0].slice = (struct et_slice){ 0 };
	for (unsigned i = 1; i < c->threads; i++) {
		struct et_slice *one = &list[i].slice;

		if (!add_samples(out, one))
			return false;
		/* Counters of all threads are summed up, or averaged later if they ask for it. */
		for (size_t k = 0; k < out->n_counters && k < one->n_counters; k++)
			if (!strcmp(out->counters[k].name, one->counters[k].name))
				out->counters[k].value += one->counters[k].value;
		for (int k = 0; k < ET_EVENTS; k++)
			out->events[k] += one->events[k];
		out->warnings |= one->warnings;
		if (one->error && (!out->error || (out->skipped && !one->skipped))) {
			free(out->error);
			out->error = one->error;
			out->skipped = one->skipped;
			one->error = NULL;
		}
	}
	finish_counters(out, c->threads, slower);
	for (int k = 0; k < ET_EVENTS; k++)
		out->events[k] /= c->threads;
	out->wall_ns = wall;
	out->at_once = cpus;
	if (c->threads > cpus)
		out->warnings |= ETALON_WARNING_THREADS;
	/* The threads together do a call in a fraction of the time in which each does one. */
	for (size_t i = 0; c->bench->flags & ETALON_BENCH_WALL && i < out->n; i++)
		out->samples[i].ns /= cpus;
	return true;
}

/* Starts the threads; returns how many. Threads that could not start leave the crew. */
static unsigned start(struct member *list, unsigned n, struct et_crew *crew)
{
	unsigned started = 0;

	while (started < n &&
		pthread_create(&list[started].thread, NULL, work, &list[started]) == 0)
		started++;
	for (unsigned i = started; i < n; i++)
		leave(crew);
	return started;
}

static int prepare(const struct et_bench_case *c, const struct et_slice_request *q,
	const struct et_timebase *t, struct et_crew *crew, struct member *list)
{
	for (unsigned i = 0; i < c->threads; i++) {
		struct member *m = &list[i];

		m->timebase = *t;
		int rc = state_init(&m->state, c, q, &m->timebase, &m->slice);
		if (rc)
			return rc;
		m->state.thread = i;
		m->state.crew = crew;
	}
	return ETALON_OK;
}

static int run_threads(const struct et_bench_case *c, struct et_crew *crew, struct member *list,
	struct et_slice *out)
{
	state_set_up(&list[0].state);
	unsigned started = start(list, c->threads, crew);
	for (unsigned i = 0; i < started; i++)
		pthread_join(list[i].thread, NULL);
	state_tear_down(&list[0].state);
	if (started < c->threads)
		return ETALON_NO_MEMORY;
	for (unsigned i = 0; i < c->threads; i++)
		state_finish(&list[i].state);
	return merge(c, list, out) ? ETALON_OK : ETALON_NO_MEMORY;
}

/* Threads keep their priority and measure no interrupts, or they would not compete with others. */
static int take_threads(const struct et_bench_case *c, const struct et_slice_request *q,
	const struct et_timebase *t, struct et_slice *out)
{
	struct et_crew crew = { .members = c->threads };
	struct etalon_kbest_opts kbest = *q->kbest;
	struct et_slice_request request = *q;

	*out = (struct et_slice){ .size = NAN, .wall_ns = NAN };
	/* Caches are not cleared for all threads at the same time. */
	if (kbest.cache != ETALON_CACHE_WARM) {
		out->error =
			strdup("caches cannot be cleared for several threads: use --threads 1, "
			       "or no --cold");
		return out->error ? ETALON_OK : ETALON_NO_MEMORY;
	}
	ET_AUTO_FREE struct member *list = calloc(c->threads, sizeof(*list));
	if (!list)
		return ETALON_NO_MEMORY;
	pthread_mutex_init(&crew.lock, NULL);
	pthread_cond_init(&crew.all_here, NULL);
	kbest.priority = ETALON_PRIORITY_KEEP;
	kbest.compensate = 0;
	request.kbest = &kbest;
	int rc = prepare(c, &request, t, &crew, list);
	if (rc == ETALON_OK)
		rc = run_threads(c, &crew, list, out);
	for (unsigned i = 0; i < c->threads; i++)
		et_slice_free(&list[i].slice);
	pthread_cond_destroy(&crew.all_here);
	pthread_mutex_destroy(&crew.lock);
	return rc;
}

int et_slice_take(const struct et_bench_case *c, const struct et_slice_request *q,
	struct et_timebase *t, struct et_slice *out)
{
	struct etalon_state s;

	if (c->threads > 1)
		return take_threads(c, q, t, out);
	*out = (struct et_slice){ 0 };
	int rc = state_init(&s, c, q, t, out);
	if (rc)
		return rc;
	state_set_up(&s);
	state_run(&s);
	state_tear_down(&s);
	state_finish(&s);
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
