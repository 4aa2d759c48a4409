/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of several threads, on the real machine: counts and relations that noise does not change.
 */
#include "lib/slice/state.h"
#include "tap.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS = 3 };

static struct etalon_kbest_opts options;
static atomic_uint set_up, torn_down, bodies, seen;
static atomic_uint before_loop, behind_loop;
static bool met; /* no thread began its loop before all were there */

static void count_set_up(void *arg)
{
	(void)arg;
	set_up++;
}

static void count_tear_down(void *arg)
{
	(void)arg;
	torn_down++;
}

static void body(struct etalon_state *s)
{
	bool first = true;

	bodies++;
	seen |= 1u << etalon_thread(s);
	before_loop++;
	ETALON_LOOP(s)
	{
		if (first)
			met = met && before_loop == THREADS;
		first = false;
		for (volatile int i = 0; i < 200; i++)
			ETALON_CLOBBER();
	}
	behind_loop++;
	etalon_set_items(s, 2);
	etalon_set_counter(s, "rate", (double)etalon_iterations(s), ETALON_COUNTER_RATE);
	etalon_set_counter(s, "sum", 1, ETALON_COUNTER_PLAIN);
	etalon_set_counter(s, "mean", etalon_thread(s), ETALON_COUNTER_PER_THREAD);
}

static void failing(struct etalon_state *s)
{
	if (etalon_thread(s) == 1) {
		etalon_fail(s, "thread 1 cannot");
		return;
	}
	ETALON_LOOP(s)
	{
		ETALON_CLOBBER();
	}
}

/*
 * The idiom of Google's user guide: thread 0 frees after its loop what all use in theirs. It may
 * fail before its loop or in it, and is then the first to finish.
 */
enum ending { AT_THE_END, FAILS_IN_THE_LOOP, FAILS_BEFORE };
static int *_Atomic shared;
static atomic_uint without_shared;
static int shared_value = 7;

static void sharing(struct etalon_state *s)
{
	bool first = etalon_thread(s) == 0;
	int64_t ending = etalon_param(s, 0);

	if (first)
		shared = &shared_value;
	if (first && ending == FAILS_BEFORE)
		etalon_fail(s, "thread 0 cannot");
	ETALON_LOOP(s)
	{
		if (first && ending == FAILS_IN_THE_LOOP)
			etalon_fail(s, "thread 0 cannot");
		for (volatile int i = 0; i < 200; i++)
			ETALON_CLOBBER();
		without_shared += !shared;
	}
	if (first)
		shared = NULL;
}

static void call(void *arg)
{
	ETALON_KEEP(arg);
}

static struct et_slice take(struct etalon_bench b, double duration_ns)
{
	struct et_bench_case c = { .bench = &b, .threads = THREADS, .n_params = b.n_params };
	struct et_slice_request q = {
		.kbest = &options, .duration_ns = duration_ns, .max_samples = 50
	};
	struct et_timebase t;
	struct et_slice s;

	if (b.n_params)
		c.params[0] = b.cases[0];
	et_timebase_raw(&t);
	et_timebase_calibrate(&t);
	if (et_slice_take(&c, &q, &t, &s) != ETALON_OK)
		tap_bail("et_slice_take failed");
	return s;
}

static double least(const struct et_slice *s)
{
	double best = INFINITY;

	for (size_t i = 0; i < s->n; i++)
		best = fmin(best, s->samples[i].ns);
	return best;
}

static double counter(const struct et_slice *s, const char *name)
{
	for (size_t i = 0; i < s->n_counters; i++)
		if (!strcmp(s->counters[i].name, name))
			return s->counters[i].value;
	return NAN;
}

static void all_threads(void)
{
	struct etalon_bench b = { .sz = sizeof(b),
		.name = "b",
		.body = body,
		.setup = count_set_up,
		.teardown = count_tear_down };
	met = true;
	struct et_slice s = take(b, 30e6);

	ok(bodies == THREADS && seen == 7 && behind_loop == THREADS,
		"each thread runs the function once and has a number of its own");
	ok(set_up == 1 && torn_down == 1, "set-up and tear-down run once for all threads");
	ok(met, "no thread begins its loop before all threads are there");
	ok(s.n >= THREADS, "the slice has samples of all threads");
	ok(!s.error && s.items == 2, "what the function says about a call is kept");
	ok(counter(&s, "sum") == THREADS, "a counter is the sum over the threads");
	ok(fabs(counter(&s, "mean") - 1) < 1e-12, "a counter per thread is the mean over them");
	ok(s.wall_ns > 0, "there is a time of all threads together");
	double alone = least(&s);
	et_slice_free(&s);
	b.flags = ETALON_BENCH_WALL;
	bodies = before_loop = 0;
	s = take(b, 30e6);
	ok(least(&s) < alone, "judged by wall time, a call takes a fraction of a thread's time");
	et_slice_free(&s);
}

static void failures(void)
{
	struct etalon_bench b = { .sz = sizeof(b), .name = "b", .body = failing };
	struct et_slice s = take(b, 10e6);

	ok(s.error && !strcmp(s.error, "thread 1 cannot"),
		"a thread that fails before its loop does not keep the others waiting");
	et_slice_free(&s);
}

static void ends(void)
{
	static const char *const when[] = { "", ", nor one that fails in the loop",
		", nor one that fails before the loop" };
	struct etalon_bench b = { .sz = sizeof(b), .name = "b", .body = sharing };

	for (int64_t i = AT_THE_END; i <= FAILS_BEFORE; i++) {
		without_shared = 0;
		b.cases = &i;
		b.n_cases = b.n_params = 1;
		struct et_slice s = take(b, 20e6);
		ok(!without_shared,
			"no thread leaves its loop before all have finished%s (%u iterations)",
			when[i], without_shared);
		et_slice_free(&s);
	}
}

static void functions(void)
{
	struct etalon_bench b = { .sz = sizeof(b), .name = "b", .fn = call };
	struct et_slice s = take(b, 10e6);

	ok(s.n >= THREADS && !s.error, "a function without a loop is timed in threads, too");
	et_slice_free(&s);
}

static double least_cpu(const struct et_slice *s)
{
	double best = INFINITY;

	for (size_t i = 0; i < s->n; i++)
		best = fmin(best, s->samples[i].cpu_ns);
	return best;
}

/* Three threads on a CPU do no more calls than one does. */
static void turns(void)
{
	struct etalon_bench b = { .sz = sizeof(b), .name = "b", .body = body };
	cpu_set_t before, one;

	if (sched_getaffinity(0, sizeof(before), &before) != 0) {
		skip("the CPUs that may be used are not known");
		return;
	}
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &before))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof(one), &one);
	bodies = before_loop = 0;
	struct et_slice s = take(b, 60e6);
	sched_setaffinity(0, sizeof(before), &before);
	ok(s.wall_ns >= 0.97 * THREADS * least_cpu(&s),
		"on one CPU a call takes %g ns, with the turns of others %g ns", least_cpu(&s),
		s.wall_ns);
	ok(counter(&s, "rate") <= 1e9 / (0.97 * least_cpu(&s)),
		"on one CPU a counter grows by %g M/s", counter(&s, "rate") / 1e6);
	ok(s.warnings & ETALON_WARNING_THREADS, "more threads than CPUs: a warning");
	et_slice_free(&s);
	if (CPU_COUNT(&before) < THREADS) {
		skip("there are fewer CPUs than threads");
		return;
	}
	bodies = before_loop = 0;
	s = take(b, 10e6);
	ok(!(s.warnings & ETALON_WARNING_THREADS), "enough CPUs: no warning");
	et_slice_free(&s);
}

static void cold(void)
{
	struct etalon_bench b = { .sz = sizeof(b), .name = "b", .fn = call };

	options.cache = ETALON_CACHE_COLD;
	struct et_slice s = take(b, 10e6);
	options.cache = ETALON_CACHE_WARM;
	ok(s.error && strstr(s.error, "cold") && !s.n, "cold caches of threads: %s", s.error);
	et_slice_free(&s);
}

int main(void)
{
	etalon_kbest_opts_init(&options, sizeof(options));
	all_threads();
	failures();
	ends();
	functions();
	turns();
	cold();
	return tap_done();
}
