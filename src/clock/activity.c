/* SPDX-License-Identifier: MIT */
#include "clock/activity.h"
#include "base/clock.h"

#include <signal.h>
#include <sys/resource.h>

static uint64_t read_clock(void *ctx)
{
	(void)ctx;
	return et_clock_read_ns(CLOCK_MONOTONIC);
}

static uint64_t read_once(const struct et_activity *a)
{
	return a->read ? a->read(a->ctx) : et_counter_read();
}

int et_activity_init(struct et_activity *a, const struct et_counter *c, size_t capacity)
{
	bool counter = c && c->name && c->invariant && c->hz > 0;
	size_t room = 1;

	memset(a, 0, sizeof(*a));
	while (room < capacity)
		room *= 2;
	a->ring = malloc(room * sizeof(*a->ring));
	a->coarse_ns = malloc(room * sizeof(*a->coarse_ns));
	if (!a->ring || !a->coarse_ns) {
		et_activity_free(a);
		return -ENOMEM;
	}
	/* Touch all pages now: a page fault during the spinning would be a gap. */
	memset(a->ring, 1, room * sizeof(*a->ring));
	memset(a->coarse_ns, 1, room * sizeof(*a->coarse_ns));
	a->capacity = room;
	a->read = counter ? NULL : read_clock;
	a->hz = counter ? c->hz : 1e9;
	a->threshold = (uint64_t)(a->hz * 1e-6);
	a->duration = a->most = UINT64_MAX;
	a->cpu = -1;
	return 0;
}

void et_activity_free(struct et_activity *a)
{
	free(a->ring);
	free(a->coarse_ns);
	a->ring = NULL;
	a->coarse_ns = NULL;
}

/* --- the threshold --- */

enum { SUB = 16, BINS = 64 * SUB, LOOKS = 1 << 18 };

/* Sixteen bins per power of two; each number below 16 has its own bin. */
static size_t bin_of(uint64_t ticks)
{
	if (ticks < SUB)
		return (size_t)ticks;
	unsigned top = 63u - (unsigned)__builtin_clzll(ticks);
	return (size_t)(top - 3) * SUB + (size_t)((ticks >> (top - 4)) & (SUB - 1));
}

/* Returns the largest number of a bin. */
static uint64_t bin_end(size_t bin)
{
	if (bin < SUB)
		return bin;
	unsigned shift = (unsigned)(bin / SUB) - 1;
	return ((uint64_t)(SUB + bin % SUB + 1) << shift) - 1;
}

uint64_t et_activity_threshold(struct et_activity *a)
{
	const uint64_t microsecond = (uint64_t)(a->hz * 1e-6) + 1;
	uint32_t seen[BINS] = { 0 }, sum = 0;
	uint64_t last = read_once(a);
	size_t bin = 0;

	for (int i = 0; i < LOOKS; i++) {
		uint64_t now = read_once(a);
		seen[bin_of(now > last ? now - last : 0)]++;
		last = now;
	}
	while (bin < BINS - 1 && (sum += seen[bin]) < LOOKS - LOOKS / 100)
		bin++;
	uint64_t usual = bin_end(bin);
	if (usual > UINT64_MAX / 20)
		return UINT64_MAX / 2;
	return 10 * usual > microsecond ? 10 * usual : microsecond;
}

/* --- spinning --- */

/* Passes on the latest gap, which has ended. */
static void publish(struct et_activity *a)
{
	size_t at = atomic_load_explicit(&a->written, memory_order_relaxed);

	if (a->open.end == a->open.start)
		return;
	if (a->keep) {
		a->keep(a, a->open, a->keep_ctx);
	} else if (at - atomic_load_explicit(&a->taken, memory_order_acquire) < a->capacity) {
		a->ring[at & (a->capacity - 1)] = a->open;
		a->coarse_ns[at & (a->capacity - 1)] = a->open_coarse_ns;
		atomic_store_explicit(&a->written, at + 1, memory_order_release);
	} else {
		a->lost++;
	}
	a->open = (struct et_gap){ 0 };
}

/*
 * Records a gap; returns false if spinning cannot continue. This is not inlined, so that the loop
 * fits into a few registers. If another process has evicted our cache lines, recording may itself
 * take longer than the threshold; that time belongs to the same gap, which is extended.
 */
static __attribute__((noinline)) bool note(struct et_activity *a, uint64_t last, uint64_t now)
{
	if (now < last) {
		a->ended = ET_ACTIVITY_BACKWARDS;
		return false;
	}
	a->gap_ticks += now - last;
	if (a->open.end == last && a->gaps) {
		a->open.end = now;
	} else {
		publish(a);
		a->open = (struct et_gap){ last, now };
		a->gaps++;
	}
	a->open_coarse_ns = et_clock_read_ns(CLOCK_MONOTONIC_COARSE);
	if (a->gaps >= a->most)
		return false;
	/* A migration to another CPU always causes a gap, so it is enough to check here. */
	if (a->cpu < 0 || sched_getcpu() == a->cpu)
		return true;
	a->ended = ET_ACTIVITY_MOVED;
	return false;
}

static inline __attribute__((always_inline)) void spin(
	struct et_activity *a, uint64_t (*read)(void *ctx), void *ctx)
{
	const uint64_t threshold = a->threshold, duration = a->duration;
	const uint64_t begin = read(ctx);
	uint64_t last = begin, readings = 1;

	a->begin = begin;
	a->ended = ET_ACTIVITY_DONE;
	for (;;) {
		uint64_t now = read(ctx);
		readings++;
		/* If the counter goes backwards, the unsigned difference is very large. */
		if (__builtin_expect(now - last > threshold, 0) && !note(a, last, now)) {
			last = now > last ? now : last;
			break;
		}
		last = now;
		if (__builtin_expect(now - begin >= duration, 0))
			break;
		if (__builtin_expect(atomic_load_explicit(&a->stop, memory_order_relaxed), 0)) {
			a->ended = ET_ACTIVITY_STOPPED;
			break;
		}
	}
	publish(a);
	a->end = last;
	a->readings = readings;
}

static uint64_t read_counter(void *ctx)
{
	(void)ctx;
	return et_counter_read();
}

static uint64_t times_switched(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

static void spin_here(struct et_activity *a)
{
	uint64_t before = times_switched();

	/* Two calls, so that the compiler inlines et_counter_read() into the first. */
	if (!a->read)
		spin(a, read_counter, NULL);
	else
		spin(a, a->read, a->ctx);
	a->switches = times_switched() - before;
	atomic_store_explicit(&a->over, true, memory_order_release);
}

static int one_cpu(int cpu, cpu_set_t *set)
{
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(set);
	CPU_SET(cpu, set);
	return 0;
}

int et_stay_on(int cpu, cpu_set_t *before)
{
	cpu_set_t set;
	int rc = one_cpu(cpu, &set);

	if (rc == 0 && before && sched_getaffinity(0, sizeof(*before), before) != 0)
		rc = -errno;
	if (rc == 0 && sched_setaffinity(0, sizeof(set), &set) != 0)
		rc = -errno;
	return rc;
}

int et_activity_spin(struct et_activity *a)
{
	int rc = a->cpu >= 0 ? et_stay_on(a->cpu, NULL) : 0;

	if (rc == 0)
		spin_here(a);
	return rc;
}

static void *spin_thread(void *ctx)
{
	struct et_activity *a = ctx;

	atomic_store(&a->tid, gettid());
	spin_here(a);
	return NULL;
}

int et_thread_start(int cpu, void *(*fn)(void *ctx), void *ctx, pthread_t *out)
{
	pthread_attr_t attr;
	sigset_t all, old;
	cpu_set_t set;
	int rc = cpu >= 0 ? -one_cpu(cpu, &set) : 0;

	if (rc == 0)
		rc = pthread_attr_init(&attr);
	if (rc)
		return -rc;
	if (cpu >= 0)
		rc = pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	/* The thread inherits a mask that blocks all signals: other threads must handle them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (rc == 0)
		rc = pthread_create(out, &attr, fn, ctx);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -rc;
}

int et_activity_start(struct et_activity *a)
{
	int rc = et_thread_start(a->cpu, spin_thread, a, &a->thread);

	/* Wait for the thread ID, by which callers find the thread in scheduler events. */
	while (rc == 0 && !atomic_load(&a->tid))
		sched_yield();
	return rc;
}

bool et_activity_finish(struct et_activity *a)
{
	bool over = atomic_load_explicit(&a->over, memory_order_acquire);

	atomic_store(&a->stop, true);
	pthread_join(a->thread, NULL);
	return over;
}

size_t et_activity_take(struct et_activity *a, struct et_gap *out, size_t n)
{
	size_t from = atomic_load_explicit(&a->taken, memory_order_relaxed);
	size_t there = atomic_load_explicit(&a->written, memory_order_acquire) - from;

	if (n > there)
		n = there;
	for (size_t i = 0; i < n; i++)
		out[i] = a->ring[(from + i) & (a->capacity - 1)];
	atomic_store_explicit(&a->taken, from + n, memory_order_release);
	return n;
}

struct et_anchor et_activity_anchor(const struct et_activity *a)
{
	return et_anchor_take(a->read ? a->read : read_counter, a->ctx, CLOCK_MONOTONIC);
}
