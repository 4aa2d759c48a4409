/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol of Bryant & O'Hallaron on a machine of their time and of ours, and the choice of
 * `run --protocol auto`.
 */
#include "model/advice.h"
#include "base/alloc.h"
#include "tap.h"

static const struct et_timing_facts today = {
	.counter = true, .tick_ns = 4e6, .timer_ns = 2000, .cpu_step_ns = 250, .cpu_latency_ns = 300
};
/* A Pentium III with Linux 2.2: CPU time in ticks of 10 ms. */
static const struct et_timing_facts linux_2_2 = { .counter = true,
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

	is_str(method(&today, 0.005, false), "kbest",
		"today: K-best is advised for 5 ms on an idle machine");
	is_str(method(&today, 0.005, true), "kbest",
		"today: K-best is advised for 5 ms under load");
	is_str(method(&today, 0.01, false), "cpu-time", "today: CPU time is advised from 10 ms on");
	is_str(method(&today, 0.5, true), "cpu-time",
		"today: CPU time is advised for 0.5 s under load");
	is_str(method(&today, 5, true), "cpu-time",
		"today: CPU time is advised for 5 s under load");
	is_str(method(&linux_2_2, 0.005, true), "kbest",
		"Linux 2.2: K-best is advised for 5 ms under load");
	is_str(method(&linux_2_2, 0.5, false), "kbest-compensated",
		"Linux 2.2: compensated K-best is advised for 0.5 s if idle");
	is_str(method(&linux_2_2, 0.5, true), "none",
		"Linux 2.2: no method works for 0.5 s under load");
	is_str(method(&linux_2_2, 5, true), "ticks",
		"Linux 2.2: interval counting is advised for 5 s under load");
	is_str(method(&linux_2_2, 5, false), "elapsed",
		"Linux 2.2: elapsed time is advised for 5 s if idle");

	et_advise(&today, 0.005, false, &a);
	is_str(a.clock, "counter", "clock: a sound counter is used");
	ok(strstr(a.why, "2 µs") && strstr(a.why, "4 ms") && strstr(a.why, "0.05 %"),
		"why: the share of the timer interrupt is computed: %s", a.why);
	struct et_timing_facts unsound = today;
	unsound.counter = false;
	unsound.timer_ns = NAN;
	et_advise(&unsound, 0.005, false, &a);
	is_str(a.clock, "CLOCK_MONOTONIC", "clock: an unsound counter is not used");
	ok(!strstr(a.why, "nan"), "why: an unknown figure is omitted: %s", a.why);
	unsound.cpu_step_ns = NAN;
	is_str(method(&unsound, 0.5, false), "kbest-compensated",
		"facts: a CPU clock of unknown step does not count as exact");
	for (size_t i = 0; i < ET_ADVICE_LENGTHS; i++) {
		et_advise_length(&linux_2_2, i, true, &a);
		ok(a.from_s < a.to_s && a.loaded && strlen(a.why) > 20,
			"lengths: number %zu has a range and a reason (%g to %g s)", i, a.from_s,
			a.to_s);
	}
	ok(isinf(a.to_s), "lengths: the last one has no end");
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

	ok(c.protocol == ET_PROTOCOL_RAW && !c.automatic,
		"choice: a protocol that was asked for is used");
	e->protocol = ET_PROTOCOL_AUTO;
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_CAUSE && c.automatic,
		"choice: cause is used without warm-up runs");
	add(e, 0, true, 30000000, 0); /* cold */
	add(e, 0, true, 5000000, 0);
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_KBEST, "choice: K-best is used for 5 ms");
	near(c.seconds, 0.005, 1e-12, 0, "choice: the fastest warm-up run decides");
	ok(!c.loaded && strstr(c.why, "5 ms") && strstr(c.why, "not interrupted by others"),
		"choice: the reason has time and load: %s", c.why);
	add(e, 0, false, 5000000, 0);
	add(e, 0, true, 1000, 0);
	near(et_protocol_choose(e).seconds, 0.005, 1e-12, 0,
		"choice: a second warm-up after a resume changes nothing");
	add(e, 1, true, 20000000, 5000000);
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_CAUSE && c.seconds == 0.02,
		"choice: the longest command decides");
	ok(c.loaded && strstr(c.why, "others"), "choice: a wait for a CPU counts as load: %s",
		c.why);
	et_experiment_free(e);

	e = experiment(ET_PROTOCOL_AUTO);
	add(e, 0, true, ET_UNKNOWN, ET_UNKNOWN);
	c = et_protocol_choose(e);
	near(c.seconds, 0.002, 1e-12, 0, "choice: elapsed time is used if CPU time is unknown");
	ok(!c.loaded, "choice: an unknown wait does not count as load");
	et_experiment_free(e);
}

int main(void)
{
	test_advice();
	test_choice();
	return tap_done();
}
