/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * K-best on a simulated machine. The result is compared with the length of the work.
 */
#include "machine.h"

static const double SLOW_HZ = 25.1e6; /* of the counter, on some arm64 */

static int measure(struct machine *m, uint64_t seed, struct etalon_kbest_result *r)
{
	struct etalon_kbest_opts o;
	struct et_timebase t;

	defaults(&o);
	start(m, &t, seed);
	return et_kbest_measure(&t, NULL, function, m, &o, r);
}

/* The published scheme: K 3, epsilon 0.1 %, M 20, and nothing but the counter. */
static double plain(struct machine *m, uint64_t seed)
{
	struct et_kbest_set s;
	struct et_timebase t;

	start(m, &t, seed);
	et_kbest_set_init(&s, 3);
	do {
		uint64_t t0 = clock_read(m);

		function(m);
		et_kbest_set_add(&s, (double)(clock_read(m) - t0), 0);
	} while (!et_kbest_converged(&s, 0.001) && s.n < 20);
	return s.value[0] / HZ * 1e9;
}

static void lengths(int load, bool sibling)
{
	static const double ms[] = { 0.3, 1, 3, 8, 50, 1000 };

	for (size_t i = 0; i < ET_LENGTH(ms); i++) {
		struct machine m = { .load = load,
			.sibling = sibling,
			.tick_cost = 1000,
			.work = ms[i] * 1e6 },
			       same = m;
		struct etalon_kbest_result r;
		int rc = measure(&m, 7, &r);
		double off = r.ns / m.work - 1, limit = ms[i] <= 8 ? 0.001 : 0.01;
		double published = plain(&same, 7) / m.work - 1;

		/* A function longer than the sibling's idle times never runs at full speed. */
		if (sibling && ms[i] > 50)
			ok(rc == ETALON_NOT_CONVERGED || fabs(off) <= r.error,
				"busy sibling, %g ms: not converged, or within the error", ms[i]);
		else
			ok(fabs(off) <= limit,
				"load %d%s, %g ms: off by %.4f %% (published %.3g %%)", load,
				sibling ? " and a busy sibling" : "", ms[i], off * 100,
				published * 100);
		ok(fabs(off) <= r.error, "load %d, %g ms: within the predicted %.4f %%", load,
			ms[i], r.error * 100);
		ok(r.ns >= m.work * (1 - 2e-4) - 2 * r.overhead_uncertainty_ns,
			"load %d, %g ms: not more is subtracted than interrupts took", load, ms[i]);
		if (load == 11 && ms[i] >= 50)
			ok(published > 1,
				"load 11, %g ms: the published scheme is off by more than 100 %%",
				ms[i]);
	}
}

/* Interrupts of 30 to 60 us, as on virtual machines: every sample contains some. */
static void costly_interrupts(void)
{
	static const double ms[] = { 3.8, 4, 7.8, 8, 16, 50, 1000 };

	for (size_t i = 0; i < ET_LENGTH(ms); i++) {
		struct machine m = { .load = 1, .tick_cost = 30000, .work = ms[i] * 1e6 };
		struct etalon_kbest_result r;
		measure(&m, 11, &r);
		double off = r.ns / m.work - 1;
		ok(fabs(off) <= 0.001 && fabs(off) <= r.error,
			"long interrupts, %g ms: off by %.4f %%, predicted %.4f %%", ms[i],
			off * 100, r.error * 100);
	}
}

/* Random machines that nothing was tuned on. The predicted error must hold in 95 % of them. */
static void coverage(uint64_t seed)
{
	enum { RUNS = 150 };
	struct et_rng rng;
	int held = 0, short_of = 0;

	et_rng_seed(&rng, seed, 0);
	for (uint64_t i = 0; i < RUNS; i++) {
		static const int loads[] = { 1, 2, 11 };
		struct machine m = {
			.load = loads[et_rng_below(&rng, 3)],
			.sibling = et_rng_uniform(&rng) < 0.5,
			.tick_cost = 500 + 5000 * et_rng_uniform(&rng),
			.work = pow(10, 2 + 5.5 * et_rng_uniform(&rng)),
		};
		struct etalon_kbest_result r;

		measure(&m, seed * RUNS + i, &r);
		held += fabs(r.ns / m.work - 1) <= r.error;
		short_of += r.ns < m.work * (1 - 1e-4) - 2 * r.overhead_uncertainty_ns;
	}
	ok(held >= RUNS * 95 / 100, "seed %d: the predicted error held in %d of %d", (int)seed,
		held, RUNS);
	ok(short_of <= RUNS / 20, "seed %d: too much was subtracted in %d of %d", (int)seed,
		short_of, RUNS);
}

static void short_functions(void)
{
	struct machine m = { .load = 1, .tick_cost = 1000, .work = 3 };
	struct etalon_kbest_result r;
	struct etalon_kbest_opts o;
	struct et_timebase t;

	int rc = measure(&m, 3, &r);
	ok(rc == ETALON_OK && r.calls > 1000, "3 ns: %llu calls per sample",
		(unsigned long long)r.calls);
	near(r.ns, 3, 0.001, 0, "3 ns: the result is the time of one call");
	near(r.ticks, r.ns * HZ / 1e9, 1e-12, 0, "3 ns: ticks are the same time in another unit");

	defaults(&o);
	o.calls = 1;
	m.calls = 0;
	start(&m, &t, 4);
	rc = et_kbest_measure(&t, NULL, function, &m, &o, &r);
	ok(r.calls == 1 && m.calls == r.samples + 1,
		"calls of 1: one call per sample, and one to warm up");
	ok(r.warnings & ETALON_WARNING_OVERHEAD,
		"calls of 1: a warning that 3 ns is hardly more than the overhead");
	ok(rc == ETALON_OK || rc == ETALON_NOT_CONVERGED,
		"calls of 1: a result in spite of the warning");
}

/* The first call is longer: it fills tables and touches pages for the first time. */
static void first_calls(void)
{
	static const double first_ms[] = { 0.5, 5, 500 };

	for (size_t i = 0; i < ET_LENGTH(first_ms); i++) {
		struct machine m = {
			.load = 1, .tick_cost = 1000, .work = 3, .first_ns = first_ms[i] * 1e6
		};
		struct etalon_kbest_result r;
		int rc = measure(&m, 3, &r);
		ok(rc == ETALON_OK && fabs(r.ns / 3 - 1) <= 0.001,
			"3 ns after a first call of %g ms: %g ns, %llu calls per sample",
			first_ms[i], r.ns, (unsigned long long)r.calls);
	}
	struct machine m = { .load = 1, .tick_cost = 1000, .work = 5e8 };
	struct etalon_kbest_result r;
	measure(&m, 3, &r);
	ok(m.calls <= r.samples + 2, "500 ms: at most two calls besides the samples");
}

/* The reference loop takes only 176 ticks of a slow counter; rounding must not look like a
 * slowdown. */
static void slow_counter(void)
{
	struct machine m = { .load = 1, .tick_cost = 1000, .work = 1e5, .hz = SLOW_HZ };
	struct etalon_kbest_result r;
	int rc = measure(&m, 3, &r);

	ok(rc == ETALON_OK && !(r.warnings & ETALON_WARNING_SLOW),
		"slow counter: no warning about a slow processor");
	ok(r.elapsed_ns < 1000000000, "slow counter: no waiting for a higher speed: %g s",
		(double)r.elapsed_ns / 1e9);
	ok(fabs(r.ns / 1e5 - 1) <= r.error, "slow counter: off by %.3f %%, predicted %.3f %%",
		(r.ns / 1e5 - 1) * 100, r.error * 100);
}

/* With CONFIG_IRQ_TIME_ACCOUNTING a thread's CPU time does not include interrupts. */
static void accounted_apart(void)
{
	static const double ms[] = { 0.3, 3, 20, 200 };

	for (size_t i = 0; i < ET_LENGTH(ms); i++) {
		struct machine m = {
			.load = 1, .tick_cost = 5000, .apart = true, .work = ms[i] * 1e6
		};
		struct etalon_kbest_result r;
		int rc = measure(&m, 13, &r);
		double off = r.ns / m.work - 1;
		ok(rc == ETALON_OK && fabs(off) <= 1e-3,
			"interrupts accounted apart, %g ms: nothing is subtracted twice", ms[i]);
		ok(!(r.warnings & ETALON_WARNING_PREEMPTED) && !m.raises &&
				r.clock == ETALON_CLOCK_COUNTER,
			"interrupts accounted apart, %g ms: not mistaken for preemption", ms[i]);
	}
}

static void limits(void)
{
	struct machine m = { .load = 1, .sibling = true, .tick_cost = 50000, .work = 3e8 };
	struct etalon_kbest_result r;
	struct etalon_kbest_opts o;
	struct et_timebase t;

	defaults(&o);
	o.max_samples = 5;
	o.epsilon = 0;
	start(&m, &t, 4);
	int rc = et_kbest_measure(&t, NULL, function, &m, &o, &r);
	ok(rc == ETALON_NOT_CONVERGED && !r.converged && r.samples == 5,
		"limits: at most M samples");
	ok(r.ns > 0 && r.warnings & ETALON_WARNING_SPREAD,
		"limits: without convergence the result is filled and has a warning");
	o.max_samples = 1000;
	o.limit_ns = 1;
	rc = et_kbest_measure(&t, NULL, function, &m, &o, &r);
	ok(rc == ETALON_NOT_CONVERGED && r.samples == 3, "limits: K samples after the time limit");
	o.least_ns = UINT64_MAX;
	rc = et_kbest_measure(&t, NULL, function, &m, &o, &r);
	ok(rc == ETALON_NOT_CONVERGED && r.samples == 3,
		"limits: the time limit precedes the time to spread samples over");
	o.least_ns = 0;
	o.clock = ETALON_CLOCK_CPU;
	rc = et_kbest_measure(&t, NULL, function, &m, &o, &r);
	ok(r.clock == ETALON_CLOCK_CPU && !(r.warnings & ETALON_WARNING_PREEMPTED),
		"ETALON_CLOCK_CPU gives CPU time without a warning");
	o.compensate = 0;
	rc = et_kbest_measure(&t, NULL, function, &m, &o, &r);
	ok(r.compensated_ns == 0, "compensate of 0: nothing is subtracted");
	(void)rc;
}

/* The priority is raised if other threads preempt samples, and if it is allowed. */
static void priority(void)
{
	static const double ms[] = { 1, 8, 50, 200 };
	struct etalon_kbest_result r;
	struct etalon_kbest_opts o;
	struct et_timebase t;

	for (size_t i = 0; i < ET_LENGTH(ms); i++) {
		struct machine m = {
			.load = 11, .tick_cost = 20000, .may_raise = true, .work = ms[i] * 1e6
		};
		int rc = measure(&m, 5, &r);
		double off = r.ns / m.work - 1;
		ok(rc == ETALON_OK && r.clock == ETALON_CLOCK_COUNTER && fabs(off) <= 0.001,
			"raised priority, load 11, %g ms: off by %.4f %%", ms[i], off * 100);
		ok(fabs(off) <= r.error, "raised priority, %g ms: within the predicted %.4f %%",
			ms[i], r.error * 100);
		ok(!m.raised, "raised priority, %g ms: restored at the end", ms[i]);
		ok(r.realtime == (m.raises > 0), "raised priority, %g ms: the result reports it",
			ms[i]);
	}
	struct machine kept = { .load = 11, .tick_cost = 20000, .may_raise = true, .work = 5e7 };
	defaults(&o);
	o.priority = ETALON_PRIORITY_KEEP;
	start(&kept, &t, 5);
	int rc = et_kbest_measure(&t, NULL, function, &kept, &o, &r);
	ok(rc != ETALON_BAD_CLOCK && !kept.raises && !r.realtime,
		"ETALON_PRIORITY_KEEP: the priority is never raised");
	struct machine alone = { .load = 1, .tick_cost = 20000, .may_raise = true, .work = 5e7 };
	measure(&alone, 5, &r);
	ok(!alone.raises, "an idle machine: the priority is never raised");
	struct machine poor = { .load = 11, .tick_cost = 1000, .work = 5e7 };
	measure(&poor, 5, &r);
	ok(poor.raises == 1 && !r.realtime && r.clock == ETALON_CLOCK_CPU,
		"without privilege: raising is tried once, the result is CPU time");
}

/* Elapsed time, if every call waits. */
static void waiting(void)
{
	struct machine m = { .load = 1, .work = 1e4, .sleep_ns = 3e6, .sleep_each = 1 };
	struct etalon_kbest_result r;
	int rc = measure(&m, 5, &r);

	ok(rc == ETALON_OK && r.clock != ETALON_CLOCK_CPU && !r.preempted &&
			!(r.warnings & ETALON_WARNING_PREEMPTED),
		"a function that sleeps in every call: not preempted");
	near(r.ns, 3.01e6, 1e-3, 0, "a function that sleeps in every call: elapsed time");
}

static void backwards(void)
{
	struct machine bad = { .load = 1, .tick_cost = 1000, .work = 1e5, .backwards = true };
	struct machine good = { .load = 1, .tick_cost = 1000, .work = 1e5 };
	struct etalon_kbest_result r = { 0 };
	struct etalon_kbest_opts o;
	struct et_timebase t, other;

	defaults(&o);
	start(&bad, &t, 1);
	start(&good, &other, 2);
	other.clock = ETALON_CLOCK_RAW;
	ok(et_kbest_measure(&t, NULL, function, &bad, &o, &r) == ETALON_BAD_CLOCK && r.samples == 0,
		"a counter that goes backwards, and no other clock: ETALON_BAD_CLOCK");
	ok(et_kbest_measure(&t, &other, function, &good, &o, &r) == ETALON_OK &&
			r.clock == ETALON_CLOCK_RAW && r.warnings & ETALON_WARNING_BACKWARDS,
		"a counter that goes backwards: the other clock is used, with a warning");
	near(r.ns, 1e5, 0.001, 0, "a counter that goes backwards: the other clock gives the time");
}

/* Every eighth call does eight times the work: no call takes the mean. */
static void amortised(void *ctx)
{
	struct machine *m = ctx;

	run(m, m->calls++ % 8 ? m->work : 8 * m->work);
}

/* Shorter while the sibling is busy: the reference loop slows down, the function speeds up. */
static void paradox(void *ctx)
{
	struct machine *m = ctx;

	m->calls++;
	run(m, m->slow ? m->work * 0.9 * 0.5 : m->work * (1 + 0.002 * et_rng_uniform(&m->rng)));
}

static void quantiles(const struct etalon_kbest_result *r, const double *raw, const char *name)
{
	size_t below = 0;

	for (size_t i = 0; i < r->sample_n; i++)
		below += raw[i] <= r->median_ns;
	ok(r->min_ns <= r->p10_ns && r->p10_ns <= r->q1_ns && r->q1_ns <= r->median_ns &&
			r->median_ns <= r->q3_ns && r->q3_ns <= r->p90_ns,
		"%s: quantiles are in order", name);
	ok(r->sample_n == r->samples && below >= r->samples * 4 / 10,
		"%s: all samples are given, and half of them are below the median", name);
}

/* The shortest sample is not the answer if it is no floor, or if calls differ. */
static void other_answers(void)
{
	static double raw[1000];
	struct etalon_kbest_result r;
	struct etalon_kbest_opts o;
	struct et_timebase t;

	defaults(&o);
	o.sample_ns = raw;
	o.sample_capacity = ET_LENGTH(raw);
	for (int load = 1; load <= 2; load++) {
		for (double work = 300; work < 1e5; work *= 100) {
			struct machine m = { .load = load, .tick_cost = 5000, .work = work };
			double mean = work * 15 / 8;

			start(&m, &t, 21);
			o.calls = 1;
			int rc = et_kbest_measure(&t, NULL, amortised, &m, &o, &r);
			ok(rc == ETALON_OK && r.statistic == ETALON_MEAN &&
					r.warnings & ETALON_WARNING_CALLS_DIFFER,
				"load %d, every 8th call of %g ns is longer: the mean, a warning",
				load, work);
			ok(fabs(r.ns / mean - 1) <= r.error && r.error < 0.15,
				"load %d, %g ns: %g ns, mean %g ns, said %.2g %%", load, work, r.ns,
				mean, r.error * 100);
			quantiles(&r, raw, "calls that differ");
		}
		struct machine even = { .load = load, .tick_cost = 30000, .work = 5e4 };

		o.calls = 0;
		start(&even, &t, 22);
		int rc = et_kbest_measure(&t, NULL, function, &even, &o, &r);
		ok(rc == ETALON_OK && r.statistic == ETALON_BEST && !r.warnings,
			"load %d: interrupts of 30 us are not mistaken for calls that differ",
			load);
		quantiles(&r, raw, "equal calls");
	}
	struct machine half = { .load = 1, .sibling = true, .tick_cost = 5000, .work = 3e4 };
	start(&half, &t, 23);
	o.least_ns = 2000000000;
	int rc = et_kbest_measure(&t, NULL, function, &half, &o, &r);
	ok(rc == ETALON_OK && r.statistic == ETALON_BEST && fabs(r.ns / 3e4 - 1) < 1e-3,
		"a sibling that slows samples down: the best, not the mean");
	struct machine odd = { .load = 1, .sibling = true, .tick_cost = 5000, .work = 3e4 };
	start(&odd, &t, 24);
	rc = et_kbest_measure(&t, NULL, paradox, &odd, &o, &r);
	ok(r.statistic == ETALON_MEDIAN && r.warnings & ETALON_WARNING_BELOW_FLOOR,
		"shorter at reduced speed: the median, and a warning");
	ok(rc == ETALON_OK && fabs(r.ns / 3e4 - 1.001) < 1e-3 && r.min_ns < 2.8e4,
		"shorter at reduced speed: %g ns is that of full speed, the least is %g ns", r.ns,
		r.min_ns);
}

int main(void)
{
	other_answers();
	priority();
	costly_interrupts();
	lengths(1, false);
	lengths(11, false);
	lengths(1, true);
	for (uint64_t seed = 2001; seed <= 2004; seed++)
		coverage(seed);
	accounted_apart();
	short_functions();
	first_calls();
	slow_counter();
	limits();
	waiting();
	backwards();
	return tap_done();
}
