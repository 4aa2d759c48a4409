/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol of Bryant & O'Hallaron on a machine of their time and of ours, and the choice of
 * `run --protocol auto`.
 */
#include "model/experiment/advice.h"
#include "base/base.h"
#include "tap.h"

enum { N = 64 };

/*
 * Facts of a machine on which a run gets slices of slice_s, and then waits for rivals × slice_s;
 * timer interrupts take a share of the rest. Computed from the definitions in the header: a run of
 * length L that begins at a random moment of a slice meets floor(L / slice) preemptions or one
 * more.
 */
static struct et_length_facts lengths[N];

static double loss_of(double length, double slice, double rivals, double u)
{
	return rivals * slice * floor(length / slice + u) / length;
}

static void play(double rivals, double slice, double tick, double tick_cost)
{
	for (int i = 0; i < N; i++) {
		struct et_length_facts *l = &lengths[i];
		double met = 0;
		*l = (struct et_length_facts){ .seconds = 1e-6 * pow(10, i / 10.0), .best = 1e9 };
		for (int k = 0; k < 1000; k++) {
			double u = (k + 0.5) / 1000;
			double loss = loss_of(l->seconds, slice, rivals, u) +
				      tick_cost * floor(l->seconds / tick + u) / l->seconds;
			l->mean += loss / 1000;
			met += loss <= 0.01;
			/* losses grow with u */
			if (k == 200)
				l->best = loss;
		}
		l->fits = met / 1000;
	}
}

static const struct et_timing_facts today = { .clock = "counter",
	.clock_ns = 40,
	.cpu_clock = "CLOCK_PROCESS_CPUTIME_ID",
	.cpu_step_ns = 250,
	.cpu_latency_ns = 300,
	.cpu_excess = 0.0025,
	.tick_ns = 4e6,
	.timer_ns = 10000,
	.timer_doubt = 0.1,
	.lengths = lengths,
	.n_lengths = N };
/* A Pentium III with Linux 2.2: CPU time in ticks of 10 ms. */
static const struct et_timing_facts linux_2_2 = { .clock = "counter",
	.clock_ns = 200,
	.cpu_clock = "times",
	.cpu_ticks = true,
	.cpu_step_ns = 1e7,
	.cpu_latency_ns = 1000,
	.cpu_excess = 0.01,
	.tick_ns = 1e7,
	.timer_ns = 100000,
	.timer_doubt = 0.05,
	.lengths = lengths,
	.n_lengths = N };

static const char *method(const struct et_timing_facts *f, double seconds)
{
	static struct et_advice a;

	et_advise(f, seconds, &a);
	return a.method;
}

static void test_today(void)
{
	static const double rivals[] = { 0, 1, 10 };
	static const char *const loads[] = { "load 1", "load 2", "load 11" };

	for (size_t i = 0; i < 3; i++) {
		play(rivals[i], 0.004, 0.004, 10e-6);
		is_str(method(&today, 1e-4), "kbest", "today, %s: K-best for 0.1 ms", loads[i]);
		is_str(method(&today, 2e-3), "kbest", "today, %s: K-best for 2 ms", loads[i]);
		/* K-best was off by 69 to 91 % there */
		is_str(method(&today, 6e-3), "cpu-time", "today, %s: CPU time for 6 ms", loads[i]);
		is_str(method(&today, 9e-3), "cpu-time", "today, %s: CPU time for 9 ms", loads[i]);
		is_str(method(&today, 0.5), "cpu-time", "today, %s: CPU time for 0.5 s", loads[i]);
		is_str(method(&today, 50), "cpu-time", "today, %s: CPU time for 50 s", loads[i]);
		struct et_advice a[ET_ADVICE_MOST];
		size_t n = et_advise_all(&today, a);
		ok(n == 2 && a[0].from_s == 0 && a[0].to_s == a[1].from_s && isinf(a[1].to_s),
			"today, %s: two ranges without a gap", loads[i]);
		/* 20 % of the runs of 3.2 ms fit between ticks of 4 ms */
		near(a[0].to_s, 3.16e-3, 0.01, 0, "today, %s: the bound is computed", loads[i]);
		ok(a[0].error < 0.001 && a[1].error > 0.0025 && a[1].error < 0.003,
			"today, %s: the errors to expect are %g and %g", loads[i], a[0].error,
			a[1].error);
	}
	/* A length at which chance favours K-best again opens no further range. */
	play(1, 0.004, 0.004, 10e-6);
	for (int i = 38; i < 41; i++)
		lengths[i] = (struct et_length_facts){ lengths[i].seconds, 0.5, 0, 1 };
	struct et_advice chance[ET_ADVICE_MOST];
	ok(et_advise_all(&today, chance) == 2, "today: each method has one range");
	/* With slices of 1 ms the bound follows. */
	play(1, 0.001, 0.004, 10e-6);
	struct et_advice a[ET_ADVICE_MOST];
	et_advise_all(&today, a);
	near(a[0].to_s, 0.79e-3, 0.02, 0, "short slices: the bound is shorter");
}

static void test_old(void)
{
	play(0, 1, 0.01, 100e-6); /* idle */
	is_str(method(&linux_2_2, 0.005), "kbest", "Linux 2.2, idle: K-best for 5 ms");
	is_str(method(&linux_2_2, 0.5), "kbest-compensated",
		"Linux 2.2, idle: compensated K-best for 0.5 s");
	play(10, 0.05, 0.01, 100e-6);
	is_str(method(&linux_2_2, 0.005), "kbest", "Linux 2.2, load 11: K-best for 5 ms");
	is_str(method(&linux_2_2, 0.06), "none", "Linux 2.2, load 11: nothing for 60 ms");
	is_str(method(&linux_2_2, 5), "ticks", "Linux 2.2, load 11: interval counting for 5 s");
	struct et_advice a[ET_ADVICE_MOST];
	size_t n = et_advise_all(&linux_2_2, a);
	ok(n >= 3 && isinf(a[n - 1].to_s), "Linux 2.2, load 11: %zu ranges", n);
	for (size_t i = 0; i < n; i++) {
		bool none = strcmp(a[i].method, "none") == 0;
		ok(a[i].from_s < a[i].to_s && strlen(a[i].why) > 20 && !strstr(a[i].why, "nan") &&
				none == !a[i].clock,
			"Linux 2.2, load 11: range %zu from %g to %g s, %s: %s", i, a[i].from_s,
			a[i].to_s, a[i].method, a[i].why);
	}
}

static void test_unsound(void)
{
	struct et_timing_facts f = today;
	struct et_advice a;

	play(0, 1, 0.004, 10e-6);
	f.clock = NULL;
	f.clock_ns = NAN;
	et_advise(&f, 1e-3, &a);
	is_str(a.method, "cpu-time", "unsound: without a sound clock there is no K-best");
	f = today;
	f.cpu_clock = NULL;
	f.cpu_step_ns = NAN;
	et_advise(&f, 0.5, &a);
	ok(a.clock && !strcmp(a.clock, "counter"),
		"unsound: an unsound CPU clock is not named: %s by %s", a.method, a.clock);
	f.clock = NULL;
	is_str(method(&f, 0.5), "none", "unsound: without any sound clock no method is left");
	f = today;
	f.timer_ns = f.cpu_excess = f.cpu_latency_ns = NAN;
	et_advise(&f, 0.5, &a);
	is_str(a.method, "cpu-time", "unsound: unknown costs do not prevent advice");
	f = today;
	f.n_lengths = 0;
	struct et_advice all[ET_ADVICE_MOST];
	ok(et_advise_all(&f, all) == 0, "unsound: no advice without a measured length");
}

/* Only lengths up to 0.79 ms were measured. */
static void test_beyond(void)
{
	struct et_timing_facts f = linux_2_2;
	struct et_advice all[ET_ADVICE_MOST];

	play(0, 1, 0.01, 100e-6);
	f.n_lengths = 30;
	is_str(method(&f, 0.7e-3), "kbest", "beyond: K-best is advised up to the longest length");
	size_t n = et_advise_all(&f, all);
	for (size_t i = 0; i < n; i++)
		ok(all[i].protocol != ET_PROTOCOL_KBEST || all[i].to_s < 0.9e-3,
			"beyond: %s is not advised for lengths up to %g s that nobody measured",
			all[i].method, all[i].to_s);
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
	e->host.tick_ns = 4000000;
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
	add(e, 0, true, 2000000, 0);
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_KBEST, "choice: K-best is used for 2 ms");
	near(c.seconds, 0.002, 1e-12, 0, "choice: the fastest warm-up run decides");
	ok(!c.loaded && strstr(c.why, "2 ms") &&
			strstr(c.why, "the fastest runs, because nothing disturbed") && c.fits == 1,
		"choice: the reason has time and load: %s", c.why);
	add(e, 0, false, 2000000, 0);
	add(e, 0, true, 1000, 0);
	near(et_protocol_choose(e).seconds, 0.002, 1e-12, 0,
		"choice: a second warm-up after a resume changes nothing");
	add(e, 1, true, 5000000, 0);
	c = et_protocol_choose(e);
	ok(c.protocol == ET_PROTOCOL_CAUSE && c.seconds == 0.005,
		"choice: the longest command decides: 5 ms meet a tick of 4 ms: %s", c.why);
	et_experiment_free(e);

	/* Loads 1, 2 and 11: what a run of 2 ms waits for slices of 4 ms of the others. */
	static const uint64_t waits_ns[] = { 0, 4000000, 40000000 };
	for (size_t i = 0; i < 3; i++) {
		e = experiment(ET_PROTOCOL_AUTO);
		e->n_commands = 1;
		add(e, 0, true, 2000000, waits_ns[i]);
		c = et_protocol_choose(e);
		ok(c.protocol == (i ? ET_PROTOCOL_CAUSE : ET_PROTOCOL_KBEST) && c.loaded == !!i,
			"choice: a wait of %g ms decides: %s", (double)waits_ns[i] / 1e6, c.why);
		/* Of four more runs one is disturbed. */
		for (int k = 0; k < 4; k++)
			add(e, 0, true, 2000000, k ? 0 : waits_ns[i]);
		ok(et_protocol_choose(e).protocol == ET_PROTOCOL_KBEST,
			"choice: K-best needs a fifth of the warm-up runs undisturbed");
		et_experiment_free(e);
	}

	e = experiment(ET_PROTOCOL_AUTO);
	e->n_commands = 1;
	add(e, 0, true, ET_UNKNOWN, ET_UNKNOWN);
	c = et_protocol_choose(e);
	near(c.seconds, 0.002, 1e-12, 0, "choice: elapsed time is used if CPU time is unknown");
	ok(!c.loaded && c.protocol == ET_PROTOCOL_KBEST,
		"choice: an unknown wait does not count as load");
	et_experiment_free(e);
}

int main(void)
{
	test_today();
	test_old();
	test_unsound();
	test_beyond();
	test_choice();
	return tap_done();
}
