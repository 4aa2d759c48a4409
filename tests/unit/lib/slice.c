/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slices on a simulated machine, whose samples are compared with the known length of the work, and
 * some on the real one, where only relations hold that noise does not change.
 */
#include "lib/slice/state.h"
#include "machine.h"

#include <string.h>

static const double MS = 1e6;

static struct etalon_kbest_opts options;

static struct et_slice_request request(double duration_ns, size_t max_samples)
{
	defaults(&options);
	return (struct et_slice_request){
		.kbest = &options, .duration_ns = duration_ns, .max_samples = max_samples
	};
}

static struct et_slice take(
	struct machine *m, uint64_t seed, struct etalon_bench b, const struct et_slice_request *q)
{
	struct et_bench_case c = { .bench = &b, .threads = 1 };
	struct et_timebase t;
	struct et_slice s;

	b.arg = m;
	start(m, &t, seed);
	if (et_slice_take(&c, q, &t, &s) != ETALON_OK)
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

static size_t marked(const struct et_slice *s, unsigned mark)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += (s->samples[i].marks & mark) != 0;
	return n;
}

/* From 0.3 ns to half a second: the number of calls fits, and the best is the length. */
static void lengths(void)
{
	static const double ns[] = { 0.3, 3, 50, 1000, 30000, 1e6, 1e7, 5e8 };

	for (size_t i = 0; i < ET_LENGTH(ns); i++) {
		struct machine m = { .load = 1, .tick_cost = 1000, .work = ns[i] };
		struct et_slice_request q = request(60 * MS, 500);
		struct et_slice s = take(&m, 5, (struct etalon_bench){ .fn = function }, &q);
		double off = least(&s) / ns[i] - 1;

		ok(fabs(off) < 2e-3, "%g ns: the best sample is off by %.4f %%", ns[i], off * 100);
		ok(s.n >= (ns[i] < 1e6 ? 100 : 2) && s.n <= 500, "%g ns: %zu samples of %llu calls",
			ns[i], s.n, (unsigned long long)s.calls);
		ok(ns[i] >= 1e5 ? s.calls == 1 : (double)s.calls * ns[i] >= 15000,
			"%g ns: a sample is long enough for the clock", ns[i]);
		ok(marked(&s, ET_BENCH_FIRST) == 1 && s.samples[0].marks & ET_BENCH_FIRST,
			"%g ns: the first sample is marked", ns[i]);
		if (ns[i] >= 5e8)
			ok(m.calls == 2, "0.5 s: called twice, both are samples: %llu",
				(unsigned long long)m.calls);
		et_slice_free(&s);
	}
}

static void first_call(void)
{
	struct machine m = { .load = 1, .tick_cost = 1000, .work = 3, .first_ns = 3e8 };
	struct et_slice_request q = request(60 * MS, 500);
	struct et_slice s = take(&m, 5, (struct etalon_bench){ .fn = function }, &q);

	ok(s.calls > 1000 && fabs(least(&s) / 3 - 1) < 1e-3 && s.samples[0].ns < 10,
		"a first call of 300 ms is no sample of a function of 3 ns");
	et_slice_free(&s);
}

/* Calls longer than the slice are samples; the last of a sequence may be the only one kept. */
static void one_sample(void)
{
	struct machine m = { .load = 1, .tick_cost = 1000, .work = 5 * MS };
	struct et_slice_request q = request(2 * MS, 1);
	struct et_slice s = take(&m, 5, (struct etalon_bench){ .fn = function }, &q);

	ok(s.n == 1 && m.calls == 1, "at most one sample: the first call that is long enough");
	et_slice_free(&s);
}

static void calls_given(void)
{
	struct machine m = { .load = 1, .tick_cost = 1000, .work = 3000 };
	struct et_slice_request q = request(20 * MS, 500);
	struct et_slice s = take(&m, 5, (struct etalon_bench){ .fn = function, .calls = 7 }, &q);

	ok(s.calls == 7, "calls of the benchmark: kept");
	et_slice_free(&s);
	q.calls = 5;
	s = take(&m, 5, (struct etalon_bench){ .fn = function, .calls = 7 }, &q);
	ok(s.calls == 5, "calls of the request precede those of the benchmark");
	near(least(&s), 3000, 1e-3, 0, "calls of the request: the time is that of one call");
	et_slice_free(&s);
}

/* On a shared CPU some samples contain the time slice of another thread, and are marked. */
static void marks(void)
{
	struct machine m = { .load = 2, .tick_cost = 1000, .work = 3e5 };
	struct et_slice_request q = request(200 * MS, 1000);
	struct et_slice s = take(&m, 6, (struct etalon_bench){ .fn = function }, &q);
	size_t wrong = 0;

	for (size_t i = 0; i < s.n; i++)
		wrong += (s.samples[i].ns > 2e6) != !!(s.samples[i].marks & ET_BENCH_PREEMPTED);
	ok(marked(&s, ET_BENCH_PREEMPTED) > 2 && !wrong,
		"a shared CPU: %zu of %zu samples are marked as preempted, %zu wrongly",
		marked(&s, ET_BENCH_PREEMPTED), s.n, wrong);
	ok(fabs(s.samples[0].cpu_ns / 3e5 - 1) < 0.02, "a shared CPU: CPU time per call");
	et_slice_free(&s);

	struct machine half = { .load = 1, .sibling = true, .tick_cost = 1000, .work = 3e5 };
	q = request(1000 * MS, 5000);
	s = take(&half, 6, (struct etalon_bench){ .fn = function }, &q);
	wrong = 0;
	for (size_t i = 0; i < s.n; i++)
		wrong += (s.samples[i].ns > 5e5) != !!(s.samples[i].marks & ET_BENCH_SLOW);
	/* A sibling becomes busy or idle within a sample some ten times a second. */
	ok(marked(&s, ET_BENCH_SLOW) > s.n / 10 && marked(&s, ET_BENCH_SLOW) < s.n * 9 / 10 &&
			wrong < 40,
		"a busy sibling: %zu of %zu samples are marked as slow, %zu wrongly",
		marked(&s, ET_BENCH_SLOW), s.n, wrong);
	et_slice_free(&s);
}

/* Waiting is part of a function that always waits, and disturbs one that rarely does. */
static void waiting(void)
{
	struct machine always = { .load = 1, .work = 1e4, .sleep_ns = 3 * MS, .sleep_each = 1 };
	struct machine rarely = { .load = 1, .work = 3e5, .sleep_ns = 3 * MS, .sleep_each = 20 };
	struct machine shared = { .load = 2, .work = 20 * MS, .sleep_ns = 3 * MS, .sleep_each = 1 };
	struct et_slice_request q = request(200 * MS, 1000);
	struct et_slice s = take(&always, 6, (struct etalon_bench){ .fn = function }, &q);

	ok(!marked(&s, ET_BENCH_PREEMPTED) && s.n > 20 && !always.raises,
		"a function that sleeps in every call is not preempted");
	near(least(&s), 3.01 * MS, 1e-3, 0, "a function that sleeps in every call: elapsed time");
	et_slice_free(&s);
	s = take(&rarely, 6, (struct etalon_bench){ .fn = function }, &q);
	size_t n = marked(&s, ET_BENCH_PREEMPTED);
	ok(n * 25 > s.n && n * 15 < s.n, "one that rarely sleeps: %zu of %zu samples are marked", n,
		s.n);
	et_slice_free(&s);
	s = take(&shared, 6, (struct etalon_bench){ .fn = function }, &q);
	ok(marked(&s, ET_BENCH_PREEMPTED) == s.n,
		"one that is preempted more often than it sleeps: preempted");
	et_slice_free(&s);
}

/* The least loss to interrupts of 30 to 60 us: a call of 50 ms meets 12 or 13 of them. */
static void interrupts(void)
{
	struct machine m = { .load = 1, .tick_cost = 30000, .work = 50 * MS };
	struct et_slice_request q = request(2000 * MS, 500);
	struct et_slice s = take(&m, 7, (struct etalon_bench){ .fn = function }, &q);

	ok(s.floor_loss_ns > 3e5 && fabs(least(&s) / (50 * MS) - 1) <= 0.003,
		"interrupts took %.0f us of each call; without them the best is off by %.3f %%",
		s.floor_loss_ns / 1e3, (least(&s) / (50 * MS) - 1) * 100);
	ok(s.floor_loss_uncertainty_ns > 0 && s.floor_loss_uncertainty_ns < s.floor_loss_ns,
		"the uncertainty of the least loss is %g us", s.floor_loss_uncertainty_ns / 1e3);
	et_slice_free(&s);
	options.compensate = 0;
	q.kbest = &options;
	s = take(&m, 7, (struct etalon_bench){ .fn = function }, &q);
	ok(s.floor_loss_ns == 0 && least(&s) > 50 * MS + 3e5,
		"compensate of 0: interrupts are neither measured nor subtracted");
	et_slice_free(&s);
}

/* An interrupt is due as soon as a window begins. */
static void spin_into_interrupt(void *ctx, struct et_loss *l, uint64_t ticks)
{
	struct machine *m = ctx;

	m->next_tick = m->now + 5;
	spin(ctx, l, ticks);
}

/* Windows that meet interrupts, unlike most samples, take nothing from these. */
static void unlucky_windows(void)
{
	static const double ns[] = { 50, 4e5 };

	for (size_t i = 0; i < ET_LENGTH(ns); i++) {
		struct machine m = { .load = 1, .tick_cost = 3e5, .work = ns[i] };
		struct etalon_bench b = { .fn = function, .arg = &m };
		struct et_bench_case c = { .bench = &b, .threads = 1 };
		struct et_slice_request q = request(i ? 5 * MS : 60 * MS, 500);
		struct et_timebase t;
		struct et_slice s;

		start(&m, &t, 5);
		t.spin = spin_into_interrupt;
		if (et_slice_take(&c, &q, &t, &s) != ETALON_OK)
			tap_bail("et_slice_take failed");
		ok(fabs(least(&s) / ns[i] - 1) < 2e-3 && s.floor_loss_ns == 0,
			"%g ns: interrupts that only windows meet are not subtracted: %g ns", ns[i],
			least(&s));
		et_slice_free(&s);
	}
}

/* A single sample is not preempted, although there was none before it to show the others. */
static void raised_at_once(void)
{
	struct machine m = { .load = 3, .tick_cost = 1000, .may_raise = true, .work = 50 * MS };
	struct et_slice_request q = request(0, 1);
	struct et_slice s;

	q.calls = 1;
	s = take(&m, 8, (struct etalon_bench){ .fn = function }, &q);
	ok(s.n == 1 && m.calls == 1 && s.samples[0].marks == ET_BENCH_FIRST,
		"a slice of no duration: one sample, with a raised priority");
	near(s.samples[0].ns, 50 * MS, 1e-3, 0, "a slice of no duration: the time is right");
	ok(!m.raised && s.floor_loss_ns > 0, "a slice of no duration: interrupts are subtracted");
	et_slice_free(&s);
}

static void priority(void)
{
	struct machine m = { .load = 3, .tick_cost = 1000, .may_raise = true, .work = 20 * MS };
	struct et_slice_request q = request(300 * MS, 500);
	struct et_slice s = take(&m, 8, (struct etalon_bench){ .fn = function }, &q);

	ok(m.raises > 0 && !m.raised && marked(&s, ET_BENCH_PREEMPTED) < s.n,
		"preempted samples: the priority is raised, and restored at the end");
	et_slice_free(&s);
	m.raises = 0;
	options.priority = ETALON_PRIORITY_KEEP;
	s = take(&m, 8, (struct etalon_bench){ .fn = function }, &q);
	ok(!m.raises, "ETALON_PRIORITY_KEEP: the priority is not raised");
	et_slice_free(&s);
}

static struct {
	int setups, teardowns, before, after, state_setups, state_teardowns;
	bool wrong_order;
} count;

static void count_setup(void *arg)
{
	(void)arg;
	count.setups++;
}

static void count_teardown(void *arg)
{
	(void)arg;
	count.teardowns++;
}

static void count_before(void *arg)
{
	run(arg, 5e4);
	count.wrong_order |= count.before != count.after;
	count.before++;
}

static void count_after(void *arg)
{
	run(arg, 7e4);
	count.after++;
}

static void hooks(void)
{
	struct machine m = { .load = 1, .tick_cost = 1000, .work = 3000 };
	struct et_slice_request q = request(20 * MS, 50);
	const struct etalon_bench b = {
		.fn = function,
		.setup = count_setup,
		.teardown = count_teardown,
		.before = count_before,
		.after = count_after,
	};
	struct et_slice s;

	memset(&count, 0, sizeof(count));
	s = take(&m, 9, b, &q);
	ok(count.setups == 1 && count.teardowns == 1, "setup and teardown: once per slice");
	ok(count.before == count.after && !count.wrong_order && (uint64_t)count.before == m.calls,
		"before and after: once per call");
	ok(s.calls == 1, "before or after: one call per sample");
	near(least(&s), 3000, 0.01, 0, "before and after are not timed");
	et_slice_free(&s);
}

enum behaviour {
	PLAIN,
	PAUSES,
	PAUSES_TWICE,
	NO_RESUME,
	GIVES_TIME,
	FAILS,
	BREAKS,
	NO_LOOP,
	LOOPS_TWICE,
	BATCHES,
	SKIPS
};

static enum behaviour behaviour;
static uint64_t iterations, seen;

static void body(struct etalon_state *s)
{
	struct machine *m = etalon_arg(s);

	seen = 0;
	if (behaviour == NO_LOOP)
		return;
	if (behaviour == SKIPS)
		etalon_skip(s, "not on this machine");
	if (behaviour == BATCHES)
		etalon_set_batch(s, 10);
	ETALON_LOOP(s)
	{
		seen++;
		run(m, m->work);
		if (behaviour == PAUSES) {
			etalon_pause(s);
			run(m, 5000);
			etalon_resume(s);
		}
		if (behaviour == PAUSES_TWICE) {
			etalon_pause(s);
			run(m, 2000);
			etalon_pause(s);
			run(m, 3000);
			etalon_resume(s);
			etalon_resume(s);
		}
		if (behaviour == NO_RESUME)
			etalon_pause(s);
		if (behaviour == GIVES_TIME)
			etalon_set_time(s, 123);
		if (behaviour == FAILS && seen == 10)
			etalon_fail(s, "no such device");
		if (behaviour == BREAKS)
			break;
	}
	if (behaviour == LOOPS_TWICE)
		ETALON_LOOP(s)
	seen += 1000;
	iterations = etalon_iterations(s);
	etalon_set_counter(s, "rate", 1e6, ETALON_COUNTER_RATE);
	etalon_set_counter(s, "each", (double)seen * 3, ETALON_COUNTER_PER_ITERATION);
	etalon_set_counter(s, "all", 2, ETALON_COUNTER_TIMES_ITERATIONS);
	etalon_set_counter(s, "inverse", 4, ETALON_COUNTER_INVERT);
}

static struct et_slice take_body(enum behaviour what, double work)
{
	struct machine m = { .load = 1, .tick_cost = 1000, .work = work };
	struct et_slice_request q = request(20 * MS, 200);

	behaviour = what;
	return take(&m, 10, (struct etalon_bench){ .body = body }, &q);
}

static void loops(void)
{
	struct et_slice s = take_body(PLAIN, 30);
	near(least(&s), 30, 1e-3, 0, "a loop of 30 ns");
	ok(iterations == seen && seen > s.n * s.calls, "etalon_iterations: all, with the warm-up");
	near(s.counters[1].value, 3, 1e-12, 0, "a counter per iteration");
	near(s.counters[2].value, 2 * (double)seen, 1e-12, 0, "a counter times iterations");
	near(s.counters[3].value, 0.25, 1e-12, 0, "an inverted counter");
	near(s.counters[0].value, 1e6 / (30e-9 * (double)seen), 0.05, 0, "a rate is per second");
	et_slice_free(&s);

	s = take_body(BATCHES, 30);
	near(least(&s), 3, 1e-3, 0, "etalon_set_batch: ten calls in an iteration of 30 ns");
	near(s.samples[0].cpu_ns, 3, 0.1, 0, "etalon_set_batch: the CPU time is per call, too");
	ok(iterations == 10 * seen && s.calls % 10 == 0, "etalon_set_batch: calls are counted");
	near(s.counters[0].value, 1e6 / (30e-9 * (double)seen), 0.05, 0,
		"etalon_set_batch: rates are by the time of the loop");
	et_slice_free(&s);

	s = take_body(PAUSES, 400);
	near(least(&s), 400, 0.01, 0, "pauses of 5 us in a loop of 400 ns are not timed");
	et_slice_free(&s);

	s = take_body(PAUSES_TWICE, 400);
	near(least(&s), 400, 0.01, 0, "a second pause or resume does nothing");
	et_slice_free(&s);

	s = take_body(NO_RESUME, 400);
	ok(!s.error && s.n > 0 && least(&s) <= 400, "a pause without an end lasts for the sample");
	et_slice_free(&s);

	s = take_body(GIVES_TIME, 30);
	ok(s.n > 10 && least(&s) == 123, "etalon_set_time replaces the time");
	size_t wrong = 0;
	for (size_t i = 0; i < s.n; i++)
		wrong += s.samples[i].cpu_ns != 123;
	ok(!wrong, "etalon_set_time: there is no CPU time to judge by");
	near(s.sample_ns, 30 * (double)s.calls, 0.3, 0, "etalon_set_time: a sample's own length");
	et_slice_free(&s);

	s = take_body(LOOPS_TWICE, 30);
	ok(s.error && strstr(s.error, "more than once") && iterations == seen,
		"a second loop in one function: %s", s.error);
	et_slice_free(&s);
}

static void failures(void)
{
	struct et_slice s = take_body(FAILS, 30);
	ok(s.error && !strcmp(s.error, "no such device"), "etalon_fail: the reason is kept");
	ok(seen < 100000, "etalon_fail: the loop ends with the sample");
	ok(!s.skipped, "etalon_fail: it is a failure");
	et_slice_free(&s);
	s = take_body(SKIPS, 30);
	ok(s.skipped && s.error && !strcmp(s.error, "not on this machine") && !seen,
		"etalon_skip: the loop is not run, and it is no failure");
	et_slice_free(&s);
	s = take_body(NO_LOOP, 30);
	ok(s.error && strstr(s.error, "no ETALON_LOOP"), "a function without a loop: %s", s.error);
	et_slice_free(&s);
	s = take_body(BREAKS, 30);
	ok(s.error && strstr(s.error, "did not run to the end"), "a loop left by break: %s",
		s.error);
	et_slice_free(&s);
}

static void by_cpu(void)
{
	struct machine m = { .load = 2, .tick_cost = 1000, .work = 3e5 };
	struct et_slice_request q = request(100 * MS, 100);
	struct et_slice s;

	options.clock = ETALON_CLOCK_CPU;
	s = take(&m, 11, (struct etalon_bench){ .fn = function }, &q);
	double longest = 0;
	for (size_t i = 0; i < s.n; i++)
		longest = fmax(longest, s.samples[i].ns);
	ok(s.clock == ETALON_CLOCK_CPU && longest < 4e5,
		"ETALON_CLOCK_CPU: no sample contains the time of another thread");
	et_slice_free(&s);
}

/* The real machine. */

static uint64_t chain = 1;

static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

static void mixes(void *arg)
{
	uint64_t x = chain;

	(void)arg;
	for (int i = 0; i < 40; i++)
		x = mix(x);
	chain = x;
}

static void empty(void *arg)
{
	(void)arg;
}

static void independent(struct etalon_state *s)
{
	uint64_t x = 7;

	ETALON_LOOP(s)
	{
		__asm__ __volatile__("" : "+r"(x));
		uint64_t y = mix(x);
		ETALON_KEEP(y);
	}
}

static void empty_loop(struct etalon_state *s)
{
	ETALON_LOOP(s)
	ETALON_CLOBBER();
}

static struct et_slice live(struct etalon_bench b)
{
	struct et_bench_case c = { .bench = &b, .threads = 1 };
	struct et_slice_request q = request(60 * MS, 1000);
	struct et_timebase t;
	struct et_slice s;

	et_timebase_raw(&t);
	et_timebase_calibrate(&t);
	if (et_slice_take(&c, &q, &t, &s) != ETALON_OK)
		tap_bail("et_slice_take failed");
	return s;
}

/*
 * The slice of a function that does nothing. Another program on the same core can slow the warm-up,
 * or the samples of the cost that is subtracted, and not the rest: one slice of ten meets a calm
 * machine.
 */
static struct et_slice live_nothing(struct etalon_bench b)
{
	struct et_slice s = live(b);

	for (int i = 1; i < 10 && least(&s) > 4 * s.empty_uncertainty_ns; i++) {
		et_slice_free(&s);
		s = live(b);
	}
	return s;
}

static void real(void)
{
	struct et_slice m = live((struct etalon_bench){ .fn = mixes });
	struct et_slice e = live_nothing((struct etalon_bench){ .fn = empty });
	struct et_slice i = live((struct etalon_bench){ .body = independent });
	struct et_slice l = live_nothing((struct etalon_bench){ .body = empty_loop });

	ok(least(&m) > 20 && least(&m) < 2000, "40 dependent mixes: %g ns", least(&m));
	ok(least(&e) <= 4 * e.empty_uncertainty_ns && least(&e) < 5,
		"an empty function: %.3f ns, %.3f +- %.3f ns are subtracted", least(&e), e.empty_ns,
		e.empty_uncertainty_ns);
#ifdef __OPTIMIZE__
	ok(least(&l) <= 4 * l.empty_uncertainty_ns && least(&l) < 2,
		"an empty loop: %.3f ns, %.3f +- %.3f ns are subtracted", least(&l), l.empty_ns,
		l.empty_uncertainty_ns);
	ok(least(&i) > 0 && least(&i) < least(&m) / 40 * 0.75,
		"independent mixes overlap: %.3f ns each, and %.3f ns in a chain", least(&i),
		least(&m) / 40);
#else
	/*
	 * Every variable is in memory then, and the processor waits for each; a sanitizer adds
	 * instructions to the loop of the test that the library's own loop does not have.
	 */
	skip("an empty loop takes no time: this build is not optimised");
	skip("independent mixes overlap: this build is not optimised");
#endif
	et_slice_free(&m);
	et_slice_free(&e);
	et_slice_free(&i);
	et_slice_free(&l);
}

int main(void)
{
	lengths();
	first_call();
	one_sample();
	calls_given();
	marks();
	waiting();
	interrupts();
	unlucky_windows();
	priority();
	raised_at_once();
	hooks();
	loops();
	failures();
	by_cpu();
	real();
	return tap_done();
}
