/* SPDX-License-Identifier: MIT */
#include "lib/time/timebase.h"
#include "base/clock.h"
#include "num/quantile.h"

#include <etalon/etalon.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

enum {
	EMPTY_SAMPLES = 301,     /* empty samples, to learn the cost of reading */
	REFERENCE_LOOPS = 20000, /* about 7 µs */
	FIRST_REFERENCES = 500,
	SWITCHES = 8,
	LONGEST_TICK_NS = 10000000,
	AFTER_TICK_NS = 100000, /* the timer interrupt has ended by then */
	ROUNDS = 2,             /* over all CPUs */
	CALIBRATE_NS = 50000000,
};

static uint64_t counter_start(void *ctx)
{
	(void)ctx;
	return et_counter_start();
}

static uint64_t counter_stop(void *ctx)
{
	(void)ctx;
	return et_counter_stop();
}

static uint64_t raw_read(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}

static uint64_t raw_now(void *ctx)
{
	(void)ctx;
	return raw_read();
}

static uint64_t thread_cpu(void *ctx)
{
	(void)ctx;
	return et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t thread_switches(void *ctx, uint64_t *waits)
{
	struct rusage u;

	(void)ctx;
	getrusage(RUSAGE_THREAD, &u);
	*waits = (uint64_t)u.ru_nvcsw;
	return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

static void yield_cpu(void *ctx)
{
	(void)ctx;
	sched_yield();
}

/*
 * CLOCK_MONOTONIC_COARSE advances at the timer interrupt, which reaches all CPUs at about the same
 * time; AFTER_TICK_NS later this CPU has handled its own.
 */
static void wait_tick(void *ctx)
{
	uint64_t from = raw_now(ctx), coarse = et_clock_read_ns(CLOCK_MONOTONIC_COARSE);

	while (et_clock_read_ns(CLOCK_MONOTONIC_COARSE) == coarse) {
		if (raw_now(ctx) - from > 2 * (uint64_t)LONGEST_TICK_NS)
			return;
	}
	from = raw_now(ctx);
	while (raw_now(ctx) - from < AFTER_TICK_NS)
		;
}

/* SCHED_RESET_ON_FORK: children that the timed function starts do not inherit the priority. */
static bool raise_priority(void *ctx, struct et_sched_policy *was)
{
	struct sched_param now = { 0 }, first = { .sched_priority = 1 };

	(void)ctx;
	was->policy = sched_getscheduler(0);
	if (was->policy < 0 || sched_getparam(0, &now) != 0)
		return false;
	/* A thread with a real-time policy already precedes the others. */
	int policy = was->policy & ~SCHED_RESET_ON_FORK;
	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
		return false;
	was->priority = now.sched_priority;
	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) == 0;
}

static void restore_priority(void *ctx, const struct et_sched_policy *was)
{
	struct sched_param p = { .sched_priority = was->priority };

	(void)ctx;
	/* Clearing SCHED_RESET_ON_FORK needs CAP_SYS_NICE; RLIMIT_RTPRIO is not enough. */
	if (sched_setscheduler(0, was->policy, &p) != 0)
		sched_setscheduler(0, was->policy | SCHED_RESET_ON_FORK, &p); /* always allowed */
}

/* One taken branch per cycle: a busy hyper-thread sibling slows this loop down at once. */
static void reference_loop(void *ctx)
{
	unsigned n = REFERENCE_LOOPS;

	(void)ctx;
#if defined(__x86_64__)
	__asm__ volatile("1:\n\tdec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1:\n\tsubs %w0, %w0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	while (--n)
		__asm__ volatile("" : "+r"(n));
#endif
}

static void counter_spin(void *ctx, struct et_loss *l, uint64_t ticks)
{
	(void)ctx;
	et_loss_spin(l, et_counter_read, ticks);
}

static void raw_spin(void *ctx, struct et_loss *l, uint64_t ticks)
{
	(void)ctx;
	et_loss_spin(l, raw_read, ticks);
}

void et_timebase_raw(struct et_timebase *t)
{
	uint64_t kernel_ns = et_clock_tick_ns();

	*t = (struct et_timebase){
		.start = raw_now,
		.stop = raw_now,
		.cpu_ns = thread_cpu,
		.context_switches = thread_switches,
		.now_ns = raw_now,
		.yield = yield_cpu,
		.wait_tick = wait_tick,
		.raise_priority = raise_priority,
		.restore_priority = restore_priority,
		.reference_loop = reference_loop,
		.spin = raw_spin,
		.clock = ETALON_CLOCK_RAW,
		.unit = "ns",
		.hz = 1e9,
		.tick_ns = kernel_ns ? (double)kernel_ns : LONGEST_TICK_NS,
	};
}

void et_timebase_counter(struct et_timebase *t, const struct et_counter *c)
{
	et_timebase_raw(t);
	t->start = counter_start;
	t->stop = counter_stop;
	t->spin = counter_spin;
	t->clock = ETALON_CLOCK_COUNTER;
	t->unit = !strcmp(c->name, "tsc") ? "tsc ticks" : "cntvct ticks";
	t->hz = c->hz;
	t->hz_uncertainty = c->hz_uncertainty;
}

/*
 * Returns the minimum. Its standard uncertainty is the distance to the median, and at least that of
 * rounding to whole ticks (1/sqrt(12)).
 */
static double least_of(double *x, size_t n, double *uncertainty)
{
	*uncertainty = fmax(et_median(x, n) - x[0], 0.3);
	return x[0];
}

void et_timebase_calibrate(struct et_timebase *t)
{
	double ticks[EMPTY_SAMPLES], cpu[EMPTY_SAMPLES];

	for (size_t i = 0; i < EMPTY_SAMPLES; i++) {
		uint64_t cpu0 = t->cpu_ns(t->ctx);
		uint64_t t0 = t->start(t->ctx);
		uint64_t t1 = t->stop(t->ctx);
		uint64_t cpu1 = t->cpu_ns(t->ctx);

		ticks[i] = t1 > t0 ? (double)(t1 - t0) : 0;
		cpu[i] = cpu1 > cpu0 ? (double)(cpu1 - cpu0) : 0;
	}
	t->overhead = least_of(ticks, EMPTY_SAMPLES, &t->overhead_uncertainty);
	t->cpu_overhead_ns = least_of(cpu, EMPTY_SAMPLES, &t->cpu_uncertainty_ns);
	for (size_t i = 0; i < FIRST_REFERENCES; i++)
		et_timebase_reference_ticks(t);
}

/* Ticks between two readings of the clock, with the reference loop between them or nothing. */
static double between(const struct et_timebase *t, bool loop)
{
	uint64_t t0 = t->start(t->ctx);

	if (loop)
		t->reference_loop(t->ctx);
	uint64_t t1 = t->stop(t->ctx);
	return t1 > t0 ? (double)(t1 - t0) : 0;
}

double et_timebase_reference_ticks(struct et_timebase *t)
{
	double ticks = fmin(between(t, true), between(t, true)), empty = between(t, false);

	if (ticks > 0 && (t->full_speed_ticks <= 0 || ticks < t->full_speed_ticks))
		t->full_speed_ticks = ticks;
	/* The cost was too high if it was measured while the processor was slow. */
	if (empty > 0 && empty < t->overhead)
		t->overhead = empty;
	return ticks;
}

double et_timebase_branch_ns(const struct et_timebase *t)
{
	return t->full_speed_ticks / t->hz * 1e9 / REFERENCE_LOOPS;
}

double et_timebase_switch_ns(const struct et_timebase *t, uint64_t limit_ns)
{
	uint64_t until = t->now_ns(t->ctx) + limit_ns, step = UINT64_MAX, least = UINT64_MAX;
	uint64_t waits, switches = t->context_switches(t->ctx, &waits), before = t->cpu_ns(t->ctx);
	uint64_t cpu = t->cpu_ns(t->ctx);

	/* A switch that shows now happened within the last two steps, so `used` spans both. */
	for (int seen = 0; seen < SWITCHES && t->now_ns(t->ctx) < until;) {
		uint64_t now = t->context_switches(t->ctx, &waits), cpu_now = t->cpu_ns(t->ctx);
		uint64_t used = cpu_now - before;

		if (now == switches) {
			step = used < step ? used : step;
		} else {
			least = used < least ? used : least;
			seen++;
		}
		switches = now;
		before = cpu;
		cpu = cpu_now;
	}
	return least == UINT64_MAX || least < step ? 0 : (double)(least - step);
}

/* Moves the thread to a CPU and reads the counter there; false if it may not run there. */
static bool read_on(size_t cpu, uint64_t *value)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		return false;
	*value = et_counter_start();
	return true;
}

bool et_timebase_counter_backwards(void)
{
	cpu_set_t before;
	uint64_t last = 0, now;
	bool backwards = false;

	if (sched_getaffinity(0, sizeof(before), &before) != 0 || CPU_COUNT(&before) < 2)
		return false;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (!CPU_ISSET(cpu, &before) || !read_on(cpu, &now))
				continue;
			backwards |= now < last;
			last = now;
		}
	}
	/* This fails only if all these CPUs are offline now; the kernel has moved the thread then.
	 */
	sched_setaffinity(0, sizeof(before), &before);
	return backwards;
}

int et_clock_choose(int wanted, struct et_clock_choice *out)
{
	struct et_counter counter;
	struct et_clock_choice c = { .clock = ETALON_CLOCK_RAW, .hz = 1e9 };

	et_counter_identify(&counter);
	if (wanted == ETALON_CLOCK_RAW || !counter.name) {
		/* No other clock is needed, or there is none. */
	} else if (!counter.invariant) {
		c.warnings |= ETALON_WARNING_NOT_INVARIANT;
	} else if (et_timebase_counter_backwards() ||
		   et_counter_calibrate(&counter, CALIBRATE_NS)) {
		c.warnings |= ETALON_WARNING_BACKWARDS;
	} else {
		c.clock = ETALON_CLOCK_COUNTER;
		c.hz = counter.hz;
		c.hz_uncertainty = counter.hz_uncertainty;
	}
	if (wanted == ETALON_CLOCK_COUNTER && c.clock != ETALON_CLOCK_COUNTER)
		return ETALON_BAD_CLOCK;
	*out = c;
	return ETALON_OK;
}

void et_clock_choice_timebase(const struct et_clock_choice *c, struct et_timebase *out)
{
	struct et_counter counter;

	et_counter_identify(&counter);
	if (c->clock == ETALON_CLOCK_COUNTER && counter.name) {
		counter.hz = c->hz;
		counter.hz_uncertainty = c->hz_uncertainty;
		et_timebase_counter(out, &counter);
	} else {
		et_timebase_raw(out);
	}
	out->warnings = c->warnings;
	et_timebase_calibrate(out);
}

const struct et_clock_choice *et_clock_here(void)
{
	static _Thread_local struct et_clock_choice here; /* clock is ETALON_CLOCK_AUTO at first */

	if (here.clock == ETALON_CLOCK_AUTO)
		et_clock_choose(ETALON_CLOCK_AUTO, &here);
	return &here;
}
