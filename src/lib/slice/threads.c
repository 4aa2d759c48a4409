/* SPDX-License-Identifier: MIT */
#include "lib/slice/state.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

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

	et_state_run(&m->state);
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

static double mean_ns(const struct et_slice *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->samples[i].ns;
	return sum / (double)s->n;
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

	for (unsigned i = 0; i < threads; i++)
		sum += list[i].slice.n ? 1 / mean_ns(&list[i].slice) : 0;
	return sum;
}

/*
 * Calls that are longer than the slice are samples without a span, and the elapsed time of samples
 * with pauses or given times says nothing.
 */
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

/* Rates of counters are by the time of samples so far. */
static void slow_counters(struct et_slice *all, double slower)
{
	for (size_t i = 0; i < all->n_counters; i++)
		if (all->counters[i].kind & ETALON_COUNTER_RATE)
			all->counters[i].value *=
				all->counters[i].kind & ETALON_COUNTER_INVERT ? slower : 1 / slower;
}

/* Counters of all threads are summed up, or averaged if they ask for it. */
static void add_counters(struct et_slice *all, const struct et_slice *one)
{
	for (size_t i = 0; i < all->n_counters && i < one->n_counters; i++) {
		struct et_bench_counter *sum = &all->counters[i];

		if (!strcmp(sum->name, one->counters[i].name))
			sum->value += one->counters[i].value;
	}
}

static void average_counters(struct et_slice *all, unsigned threads)
{
	for (size_t i = 0; i < all->n_counters; i++)
		if (all->counters[i].kind & ETALON_COUNTER_PER_THREAD)
			all->counters[i].value /= threads;
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
		add_counters(out, one);
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
	average_counters(out, c->threads);
	slow_counters(out, slower);
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
		int rc;

		m->timebase = *t;
		rc = et_state_init(&m->state, c, q, &m->timebase, &m->slice);
		if (rc)
			return rc;
		m->state.thread = i;
		m->state.crew = crew;
	}
	return ETALON_OK;
}

/* Caches are not cleared for all threads at the same time. */
static int refuse_cold(struct et_slice *out)
{
	out->error = strdup(
		"caches cannot be cleared for several threads: use --threads 1, or no --cold");
	return out->error ? ETALON_OK : ETALON_NO_MEMORY;
}

static int run(const struct et_bench_case *c, struct et_crew *crew, struct member *list,
	struct et_slice *out)
{
	unsigned started;

	et_state_set_up(&list[0].state);
	started = start(list, c->threads, crew);
	for (unsigned i = 0; i < started; i++)
		pthread_join(list[i].thread, NULL);
	et_state_tear_down(&list[0].state);
	if (started < c->threads)
		return ETALON_NO_MEMORY;
	for (unsigned i = 0; i < c->threads; i++)
		et_state_finish(&list[i].state);
	return merge(c, list, out) ? ETALON_OK : ETALON_NO_MEMORY;
}

/*
 * A thread that raised its priority would keep others from the CPU, and one that measures
 * interrupts would not compete with them meanwhile; so neither is done.
 */
int et_slice_take_threads(const struct et_bench_case *c, const struct et_slice_request *q,
	const struct et_timebase *t, struct et_slice *out)
{
	struct et_crew crew = { .members = c->threads };
	struct etalon_kbest_opts kbest = *q->kbest;
	struct et_slice_request request = *q;
	struct member *list;
	int rc;

	*out = (struct et_slice){ .size = NAN, .wall_ns = NAN };
	if (kbest.cache != ETALON_CACHE_WARM)
		return refuse_cold(out);
	list = calloc(c->threads, sizeof(*list));
	if (!list)
		return ETALON_NO_MEMORY;
	pthread_mutex_init(&crew.lock, NULL);
	pthread_cond_init(&crew.all_here, NULL);
	kbest.priority = ETALON_PRIORITY_KEEP;
	kbest.compensate = 0;
	request.kbest = &kbest;
	rc = prepare(c, &request, t, &crew, list);
	if (rc == ETALON_OK)
		rc = run(c, &crew, list, out);
	for (unsigned i = 0; i < c->threads; i++)
		et_slice_free(&list[i].slice);
	free(list);
	pthread_cond_destroy(&crew.all_here);
	pthread_mutex_destroy(&crew.lock);
	return rc;
}
