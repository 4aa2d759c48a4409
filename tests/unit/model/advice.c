/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chapter's protocol on its own machine and on ours, and what `run --protocol auto` takes. */
#include "model/advice.h"
#include "base/alloc.h"
#include "tap.h"

static const struct et_timing_facts today = {
	.counter = true, .tick_ns = 4e6, .timer_ns = 2000, .cpu_step_ns = 250, .cpu_latency_ns = 300
};
/* A Pentium III with Linux 2.2: CPU time in ticks of 10 ms. */
static const struct et_timing_facts then = { .counter = true,
	.tick_ns = 1e7,
	.timer_ns = 100000,
	.cpu_step_ns = 1e7,
	.cpu_latency_ns = 1000 };

static const char *method(const struct et_timing_facts *f, double seconds, bool loaded)
{
	static struct et_advice a;

	et_advise(f, seconds, loaded, &a);
	return a.method;
}

static void test_advice(void)
{
	struct et_advice a;

	is_str(method(&today, 0.005, false), "kbest", "short, idle");
	is_str(method(&today, 0.005, true), "kbest", "short, loaded");
	is_str(method(&today, 0.01, false), "cpu-time", "from 10 ms on");
	is_str(method(&today, 0.5, true), "cpu-time", "exact CPU time works under load");
	is_str(method(&today, 5, true), "cpu-time", "at any length");
	is_str(method(&then, 0.005, true), "kbest", "then: short, under any load");
	is_str(method(&then, 0.5, false), "kbest-compensated", "then: idle, with compensation");
	is_str(method(&then, 0.5, true), "none", "then: nothing worked");
	is_str(method(&then, 5, true), "ticks", "then: interval counting above a second");
	is_str(method(&then, 5, false), "elapsed", "then: idle, the clock");

	et_advise(&today, 0.005, false, &a);
	is_str(a.clock, "counter", "a sound counter is read");
	ok(strstr(a.why, "2 µs") && strstr(a.why, "4 ms") && strstr(a.why, "0.05 %"),
		"the interrupt's share is computed: %s", a.why);
	struct et_timing_facts unsound = today;
	unsound.counter = false;
	unsound.timer_ns = NAN;
	et_advise(&unsound, 0.005, false, &a);
	is_str(a.clock, "CLOCK_MONOTONIC", "another is not");
	ok(!strstr(a.why, "nan"), "no figure that is not known: %s", a.why);
	unsound.cpu_step_ns = NAN;
	is_str(method(&unsound, 0.5, false), "kbest-compensated", "no CPU clock is no exact one");
	for (size_t i = 0; i < ET_ADVICE_LENGTHS; i++) {
		et_advise_length(&then, i, true, &a);
		ok(a.from_s < a.to_s && a.loaded && strlen(a.why) > 20, "length %zu: %g to %g s", i,
			a.from_s, a.to_s);
	}
	ok(isinf(a.to_s), "and the last has no end");
}

static void add(
	struct et_experiment *e, uint32_t command, bool warmup, uint64_t cpu_ns, uint64_t wait_ns)
{
	struct et_sample s = { .place.command = command,
		.place.warmup = warmup,
		.measured.cpu_ns = cpu_ns,
		.measured.elapsed_ns = cpu_ns == ET_UNKNOWN ? 2000000 : cpu_ns + wait_ns,
		.measured.wait_ns = wait_ns };

	et_experiment_add(e, &s);
}

static struct et_experiment *experiment(enum et_protocol protocol)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->protocol = protocol;
	e->commands = et_calloc(2, sizeof(*e->commands));
	e->n_commands = 2;
	return e;
}

static void test_choice(void)
{
	struct et_experiment *e = experiment(ET_PROTOCOL_RAW);
	struct et_choice c = et_protocol_choose(e);

	ok(c.protocol == ET_PROTOCOL_RAW && !c.automatic, "what was asked for is taken");
	e->protocol = ET_PROTOCOL_AUTO;
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_EMP && c.automatic, "nothing known: emp");
	add(e, 0, true, 30000000, 0); /* cold */
	add(e, 0, true, 5000000, 0);
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_KBEST, "5 ms: K-best");
	near(c.seconds, 0.005, 1e-12, 0, "by the fastest warm-up");
	ok(!c.loaded && strstr(c.why, "5 ms") && strstr(c.why, "to itself"), "%s", c.why);
	add(e, 0, false, 5000000, 0);
	add(e, 0, true, 1000, 0);
	near(et_protocol_choose(e).seconds, 0.005, 1e-12, 0,
		"a second warm-up, after a resume, changes nothing");
	add(e, 1, true, 20000000, 5000000);
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_EMP && c.seconds == 0.02, "the longest command decides");
	ok(c.loaded && strstr(c.why, "others"), "it waited for a CPU: %s", c.why);
	et_experiment_free(e);

	e = experiment(ET_PROTOCOL_AUTO);
	add(e, 0, true, ET_UNKNOWN, ET_UNKNOWN);
	c = et_protocol_choose(e);
	near(c.seconds, 0.002, 1e-12, 0, "elapsed time where there is no other");
	ok(!c.loaded, "and no load that is not known");
	et_experiment_free(e);
}

int main(void)
{
	test_advice();
	test_choice();
	return tap_done();
}
