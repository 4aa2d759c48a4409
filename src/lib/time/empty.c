/* SPDX-License-Identifier: MIT */
#include "lib/time/empty.h"
#include "num/quantile.h"

#include <etalon/etalon.h>
#include <math.h>

enum {
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

static struct least least_of(double *x, double per_ns)
{
	et_sort(x, REPEATS);
	return (struct least){ x[0] * per_ns, (x[REPEATS / 4] - x[0]) * per_ns };
}

/* Waits, within limits, until the processor runs at full speed, as it did for the best samples. */
static void await_full_speed(struct et_timebase *t)
{
	for (int i = 0; i < PATIENCE; i++)
		if (et_timebase_reference_ticks(t) <= t->full_speed_ticks * 1.005 + 1)
			return;
}

static double timed(struct et_timebase *t, void (*run)(void (*)(void *), void *, uint64_t),
	void (*fn)(void *), void *arg, uint64_t n)
{
	await_full_speed(t);
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
	struct least a = least_of(alone, per_ns), b = least_of(both, per_ns);
	/*
	 * The more a processor has to do, the more it takes to do one thing more: the call of fn
	 * itself adds at most as much as another, empty one.
	 */
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
	double empty_ns = least_of(x, 1e9 / t->hz / (double)n).ns;
	if (empty_ns <= 0)
		return (struct et_empty){ 0, 0 };
	/*
	 * Processors predict calls and returns faster at some times than at others: the same empty
	 * call takes 2 or 7 cycles, and the samples may have met the slow ones.
	 */
	double most_ns = fmax(empty_ns, SLOW_CALL * et_timebase_branch_ns(t));
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
	double empty = fmax(least_of(alone, per_ns).ns, least_of(users, per_ns).ns);
	/* The loop adds this to work that keeps the processor busy, and nothing to work that waits.
	 */
	struct least o = least_of(one, per_ns), w = least_of(two, per_ns);
	struct et_empty beside = anything_up_to(fmin(fmax(2 * o.ns - w.ns, 0), empty));
	/* Noise can hide what the loop adds: a difference of two times is as doubtful as they are.
	 */
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
