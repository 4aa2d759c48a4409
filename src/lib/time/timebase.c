/* SPDX-License-Identifier: MIT */
#include "lib/time/timebase.h"
#include "base/clock.h"
#include "clock/activity.h"
#include "num/quantile.h"

#include <etalon/etalon.h>
#include <sched.h>
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
	/* Of empty calls: */
	REPEATS = 15,
	PATIENCE = 20, /* runs of the reference loop to wait for the full speed */
	SAMPLE_NS = 20000,
	MOST_CALLS = 40000, /* in a sample of empty calls or iterations */
	TOO_LONG = 1000,    /* times an empty call: its cost cannot be seen beside the function */
	UNROLLED = 8,
};

/*
 * The standard uncertainty of a quantity that is as likely anywhere within an interval of length 1:
 * 1 / sqrt(12) if the middle is its estimate, 1 / sqrt(3) if an end is.
 */
static const double FROM_MIDDLE = 0.288675, FROM_END = 0.57735;

static const double HARDLY_LONGER = 1.3; /* times an empty call */
static const double SLOW_CALL = 7.3;     /* times a taken branch */

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

/* The coarse clock advances at the interrupt of any CPU; AFTER_TICK_NS later ours has ended. */
static void wait_tick(void *ctx)
{
	uint64_t from = raw_now(ctx), coarse = et_clock_read_ns(CLOCK_MONOTONIC_COARSE);

	while (et_clock_read_ns(CLOCK_MONOTONIC_COARSE) == coarse)
		if (raw_now(ctx) - from > 2 * (uint64_t)LONGEST_TICK_NS)
			return;
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

/* Returns the minimum; its uncertainty: the distance to the median, or rounding (1/sqrt(12)). */
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

/* Whether the counter goes backwards from one CPU to another. Restores the thread's affinity. */
static bool counter_backwards(void)
{
	cpu_set_t before;
	uint64_t last = 0, now;
	bool backwards = false;

	if (sched_getaffinity(0, sizeof(before), &before) != 0 || CPU_COUNT(&before) < 2)
		return false;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (!CPU_ISSET(cpu, &before) || et_stay_on((int)cpu, NULL) != 0)
				continue;
			now = et_counter_start();
			backwards |= now < last;
			last = now;
		}
	}
	/* It fails only if all these CPUs are offline now; the kernel has moved the thread then. */
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
	} else if (counter_backwards() || et_counter_calibrate(&counter, CALIBRATE_NS)) {
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
	et_timebase_raw(out);
	if (c->clock == ETALON_CLOCK_COUNTER && counter.name) {
		out->start = counter_start;
		out->stop = counter_stop;
		out->spin = counter_spin;
		out->clock = ETALON_CLOCK_COUNTER;
		out->unit = !strcmp(counter.name, "tsc") ? "tsc ticks" : "cntvct ticks";
		out->hz = c->hz;
		out->hz_uncertainty = c->hz_uncertainty;
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

/* --- the cost of an empty call --- */

static void nothing(void *arg)
{
	(void)arg;
	ETALON_CLOBBER();
}

/* The compiler must not see which function is called. */
static void (*volatile const empty_function)(void *) = nothing;

void et_call_many(void (*fn)(void *), void *arg, uint64_t n)
{
	for (; n >= UNROLLED; n -= UNROLLED) {
		fn(arg);
		fn(arg);
		fn(arg);
		fn(arg);
		fn(arg);
		fn(arg);
		fn(arg);
		fn(arg);
	}
	for (; n > 0; n--)
		fn(arg);
}

/* Calls fn and the empty function in turn, n times each; n must be a multiple of 4. */
static void call_pairs(void (*fn)(void *), void *arg, uint64_t n)
{
	void (*empty)(void *) = empty_function;

	for (; n >= 4; n -= 4) {
		fn(arg);
		empty(arg);
		fn(arg);
		empty(arg);
		fn(arg);
		empty(arg);
		fn(arg);
		empty(arg);
	}
}

/* The least of some samples, per call, and how far the lower quartile is from it. */
struct least {
	double ns, spread_ns;
};

static struct least least_samples(double *x, double per_ns)
{
	et_sort(x, REPEATS);
	return (struct least){ x[0] * per_ns, (x[REPEATS / 4] - x[0]) * per_ns };
}

static double timed(struct et_timebase *t, void (*run)(void (*)(void *), void *, uint64_t),
	void (*fn)(void *), void *arg, uint64_t n)
{
	/* Wait, within limits, until the processor runs at full speed, as for the best samples. */
	for (int i = 0; i < PATIENCE; i++)
		if (et_timebase_reference_ticks(t) <= t->full_speed_ticks * 1.005 + 1)
			break;
	uint64_t t0 = t->start(t->ctx);
	run(fn, arg, n);
	uint64_t t1 = t->stop(t->ctx);
	return t1 > t0 ? fmax((double)(t1 - t0) - t->overhead, 0) : 0;
}

/* Any value from 0 to most is as likely as another. */
static struct et_empty anything_up_to(double most)
{
	return (struct et_empty){ most / 2, most * FROM_MIDDLE };
}

/* Times fn alone and with an empty call beside it, in turn. most_ns: no call adds more. */
static struct et_empty call_beside(
	struct et_timebase *t, void (*fn)(void *), void *arg, double fn_ns, double most_ns)
{
	uint64_t n = (uint64_t)(SAMPLE_NS / fmax(fn_ns, 1)) / 4 * 4 + 4;
	double alone[REPEATS], both[REPEATS], per_ns = 1e9 / t->hz / (double)n;

	for (size_t i = 0; i < REPEATS; i++) {
		alone[i] = timed(t, et_call_many, fn, arg, n);
		both[i] = timed(t, call_pairs, fn, arg, n);
	}
	struct least a = least_samples(alone, per_ns), b = least_samples(both, per_ns);
	/* A busy processor takes longer: the call of fn adds at most as much as an empty one. */
	double added = fmin(fmax(b.ns - a.ns, 0), most_ns);
	double own = added * (fn_ns < 2 * most_ns ? FROM_END : FROM_MIDDLE / 2);
	double doubt = hypot(hypot(a.spread_ns, b.spread_ns), own);
	if (doubt >= most_ns * FROM_MIDDLE)
		return anything_up_to(most_ns);
	return (struct et_empty){ added, doubt };
}

struct et_empty et_empty_call(struct et_timebase *t, void (*fn)(void *), void *arg, double fn_ns,
	uint64_t calls, bool beside)
{
	uint64_t n = calls < MOST_CALLS ? calls : MOST_CALLS;
	double x[REPEATS];

	for (size_t i = 0; i < REPEATS; i++)
		x[i] = timed(t, et_call_many, empty_function, arg, n);
	double empty_ns = least_samples(x, 1e9 / t->hz / (double)n).ns;
	if (empty_ns <= 0)
		return (struct et_empty){ 0, 0 };
	/*
	 * Processors predict calls and returns faster at some times than at others: the same empty
	 * call takes 2 or 7 cycles, and the samples may have met the slow ones. An iteration of the
	 * reference loop is a taken branch: about one cycle.
	 */
	double branch_ns = t->full_speed_ticks / t->hz * 1e9 / REFERENCE_LOOPS;
	double most_ns = fmax(empty_ns, SLOW_CALL * branch_ns);
	/* A function that is hardly longer than the call may hide within it entirely. */
	if (fn_ns < HARDLY_LONGER * most_ns) {
		most_ns = fmin(most_ns, fn_ns);
		return (struct et_empty){ most_ns, most_ns * FROM_END };
	}
	if (!beside || fn_ns > TOO_LONG * most_ns)
		return anything_up_to(most_ns);
	return call_beside(t, fn, arg, fn_ns, most_ns);
}

static void loop_empty(void (*fn)(void *), void *arg, uint64_t n)
{
	(void)fn;
	(void)arg;
	for (; n > 0; n--)
		ETALON_CLOBBER();
}

static uint64_t no_more(void)
{
	return 0;
}
static uint64_t (*volatile const none_left)(void) = no_more;

/* As ETALON_LOOP: compilers may make another instruction of it, which takes twice as long. */
static void loop_as_users(void (*fn)(void *), void *arg, uint64_t n)
{
	(void)fn;
	(void)arg;
	for (; n > 0 || (n = none_left()) > 0; n--)
		ETALON_CLOBBER();
}

#ifdef __GNUC__
#define HIDDEN_ADD(x)                                                                              \
	do {                                                                                       \
		(x) += 3;                                                                          \
		__asm__ __volatile__("" : "+r"(x));                                                \
	} while (0)
#else
#define HIDDEN_ADD(x) ((x) += 3)
#endif

/* Six additions that do not depend on each other: they keep the arithmetic units busy. */
#define WORK(a, b, c, d, e, f)                                                                     \
	do {                                                                                       \
		HIDDEN_ADD(a);                                                                     \
		HIDDEN_ADD(b);                                                                     \
		HIDDEN_ADD(c);                                                                     \
		HIDDEN_ADD(d);                                                                     \
		HIDDEN_ADD(e);                                                                     \
		HIDDEN_ADD(f);                                                                     \
	} while (0)

static void loop_working(void (*fn)(void *), void *arg, uint64_t n)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;

	(void)fn;
	(void)arg;
	for (; n > 0; n--)
		WORK(a, b, c, d, e, f);
}

static void loop_working_twice(void (*fn)(void *), void *arg, uint64_t n)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;

	(void)fn;
	(void)arg;
	for (; n > 0; n--) {
		WORK(a, b, c, d, e, f);
		WORK(a, b, c, d, e, f);
	}
}

struct et_empty et_empty_loop(struct et_timebase *t, double body_ns)
{
	double alone[REPEATS], users[REPEATS], one[REPEATS], two[REPEATS];
	double per_ns = 1e9 / t->hz / MOST_CALLS;

	for (size_t i = 0; i < REPEATS; i++) {
		alone[i] = timed(t, loop_empty, NULL, NULL, MOST_CALLS);
		users[i] = timed(t, loop_as_users, NULL, NULL, MOST_CALLS);
		one[i] = timed(t, loop_working, NULL, NULL, MOST_CALLS);
		two[i] = timed(t, loop_working_twice, NULL, NULL, MOST_CALLS);
	}
	double empty = fmax(least_samples(alone, per_ns).ns, least_samples(users, per_ns).ns);
	/* The loop adds this to work that keeps the processor busy; nothing to work that waits. */
	struct least o = least_samples(one, per_ns), w = least_samples(two, per_ns);
	struct et_empty beside = anything_up_to(fmin(fmax(2 * o.ns - w.ns, 0), empty));
	/* Noise can hide what the loop adds: a difference of times is as doubtful as they are. */
	beside.uncertainty_ns =
		fmin(hypot(beside.uncertainty_ns, hypot(2 * o.spread_ns, w.spread_ns)),
			empty * FROM_END);
	if (body_ns >= 2 * empty)
		return beside;
	/* No iteration is shorter than an empty one: a body as short may take any part of it. */
	double share = fmin(fmax(2 - body_ns / empty, 0), 1);
	return (struct et_empty){ fmin(share * empty + (1 - share) * beside.ns, body_ns),
		fmax(share * empty * FROM_END, beside.uncertainty_ns) };
}
