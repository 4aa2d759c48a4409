/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sanity checks: which samples they remove, for which reason, and that all others are kept. */
#include "protocol/sanity.h"
#include "base/alloc.h"
#include "num/dist.h"
#include "num/rng.h"
#include "sample_of.h"
#include "tap.h"

#include <math.h>

static struct et_experiment *make(size_t n, enum et_arrangement arrangement)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	for (size_t i = 0; i < n; i++) {
		struct et_sample s = { .place.arrangement = arrangement,
			.place.order = (uint32_t)i + 1,
			.place.partner = -1,
			.measured.elapsed_ns = 1000000000,
			.measured.probe_before_ns = ET_UNKNOWN,
			.measured.probe_after_ns = ET_UNKNOWN,
			.measured.cpu_ns = 990000000 + (i % 2) * 2000000 };
		et_experiment_add(e, &s);
	}
	return e;
}

static void disturb(
	struct et_experiment *e, size_t i, const char *name, uint64_t cpu_ns, bool kernel)
{
	struct et_sample *s = sample_of(&e->commands[0], i);

	s->measured.culprits = et_realloc(
		s->measured.culprits, s->measured.n_culprits + 1, sizeof(*s->measured.culprits));
	struct et_culprit *x = &s->measured.culprits[s->measured.n_culprits++];
	*x = (struct et_culprit){ .cpu_ns = cpu_ns, .kernel_thread = kernel };
	snprintf(x->name, sizeof(x->name), "%s", name);
}

static size_t check(struct et_experiment *e, const struct et_cutoffs *c)
{
	size_t n;

	free(et_sanity_check(e, c, &n));
	return n;
}

static struct et_cutoff list[] = {
	{ .daemon = "cron", .final_ms = { 5, 50 }, .n_final = 2, .task_time_s = 2 },
	{ .daemon = "kworker", .final_ms = { 3 }, .n_final = 1 },
};
static const struct et_cutoffs cutoffs = {
	.list = list, .n = 2, .short_seconds = 1, .long_seconds = 10
};

static void test_cutoff(void)
{
	struct et_experiment *e = make(8, ET_SOLO);
	struct et_sample *s = sample_of(&e->commands[0], 0);

	disturb(e, 1, "java", 900000000, false);
	disturb(e, 1, "cron", 5000000, false);
	disturb(e, 2, "java", 900000000, false);
	disturb(e, 2, "cron", 5000001, false);
	disturb(e, 3, "kworker/0:1", 4000000, true);
	disturb(e, 4, "kworker/0:1", 4000000, false);
	disturb(e, 5, "cron", 9000000, false);
	s[5].place.warmup = true;
	ok(check(e, &cutoffs) == 2, "cutoff: two samples change");
	ok(s[1].ruling.removal.by == ET_KEPT,
		"cutoff: a daemon exactly at its cutoff does not remove a sample");
	ok(s[2].ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF &&
			s[2].ruling.removal.cpu_ns == 5000001 &&
			s[2].ruling.removal.cutoff_ns == 5000000 &&
			!strcmp(s[2].ruling.removal.daemon, "cron"),
		"cutoff: a removal records the daemon, its CPU time and the cutoff");
	ok(s[3].ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF &&
			!strcmp(s[3].ruling.removal.daemon, "kworker"),
		"cutoff: all kernel workers are one daemon");
	ok(s[4].ruling.removal.by == ET_KEPT,
		"cutoff: a user program with the name of a kernel worker is not one");
	ok(s[5].ruling.removal.by == ET_KEPT, "cutoff: warm-up is not checked");
	ok(check(e, &cutoffs) == 0, "cutoff: a second check changes nothing");
	ok(check(e, NULL) == 2 && s[2].ruling.removal.by == ET_KEPT &&
			!s[2].ruling.removal.daemon[0],
		"cutoff: without cutoffs the removed samples are kept again");
	for (size_t i = 0; i < 8; i++)
		s[i].measured.elapsed_ns *= 3;
	ok(check(e, &cutoffs) == 1 && s[2].ruling.removal.by == ET_KEPT,
		"cutoff: a program longer than the task time has the second cutoff");
	for (size_t i = 0; i < 8; i++)
		s[i].measured.elapsed_ns *= 10;
	ok(check(e, &cutoffs) == 1 && s[3].ruling.removal.by == ET_KEPT,
		"cutoff: none is valid beyond twice the length of the learned samples");
	et_experiment_free(e);
}

static void test_two_sigma(void)
{
	for (size_t n = 5; n < 14; n++) {
		struct et_experiment *e = make(n, ET_SOLO);
		struct et_sample *s = sample_of(&e->commands[0], 0);
		s[n / 2].measured.cpu_ns = 2000000000;
		size_t changed = check(e, NULL);
		ok(changed == (n >= ET_TWO_SIGMA_LEAST) &&
				(s[n / 2].ruling.removal.by == ET_REMOVED_TWO_SIGMA) ==
					(n >= ET_TWO_SIGMA_LEAST),
			"two-sigma: an outlier among %zu samples is %s", n,
			n >= ET_TWO_SIGMA_LEAST ? "removed" : "kept, as they are too few");
		et_experiment_free(e);
	}
	struct et_experiment *e = make(20, ET_SOLO);
	struct et_sample *s = sample_of(&e->commands[0], 0);
	s[3].measured.cpu_ns = 100;
	s[9].measured.cpu_ns = 1990000000;
	s[9].ruling.removal.by = ET_REMOVED_FAILED;
	ok(check(e, NULL) == 1 && s[3].ruling.removal.by == ET_REMOVED_TWO_SIGMA,
		"two-sigma: an outlier below the other samples is removed");
	ok(s[9].ruling.removal.by == ET_REMOVED_FAILED,
		"two-sigma: a sample that was removed for another reason stays so");
	/* The sample with the daemon would make the sd too large to find the other one. */
	s[9].ruling.removal.by = ET_KEPT;
	s[9].measured.cpu_ns = 900000000000;
	disturb(e, 9, "cron", 6000000, false);
	check(e, &cutoffs);
	ok(s[9].ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF &&
			s[3].ruling.removal.by == ET_REMOVED_TWO_SIGMA,
		"two-sigma: samples that the cutoff check removed are not in the sd");
	et_experiment_free(e);
}

/* The default: a sample is removed for what was recorded beside it, never for its own value. */
static void test_cause(void)
{
	struct et_experiment *e = make(20, ET_SOLO);
	struct et_sample *s = sample_of(&e->commands[0], 0);

	s[3].measured.cpu_ns = 2000000000;
	s[4].measured.cpu_ns = 100;
	disturb(e, 5, "cron", 6000000, false);
	check(e, &cutoffs);
	ok(s[3].ruling.removal.by == ET_REMOVED_TWO_SIGMA, "emp: an outlier is removed");
	e->protocol = ET_PROTOCOL_CAUSE;
	check(e, &cutoffs);
	ok(s[3].ruling.removal.by == ET_KEPT && s[3].ruling.marks == ET_MARK_TWO_SIGMA &&
			s[4].ruling.removal.by == ET_KEPT && s[4].ruling.marks == ET_MARK_TWO_SIGMA,
		"cause: outliers above and below are marked and kept");
	ok(s[5].ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF,
		"cause: a daemon above its cutoff removes the sample");
	ok(check(e, &cutoffs) == 0, "cause: a second check changes nothing");
	e->protocol = ET_PROTOCOL_AUTO;
	ok(check(e, &cutoffs) == 0, "auto: a long program is checked as by cause");
	et_experiment_free(e);
}

static void test_left_alone(void)
{
	struct et_experiment *e = make(20, ET_DUET);
	struct et_sample *s = sample_of(&e->commands[0], 0);

	s[3].measured.cpu_ns = 2000000000;
	disturb(e, 5, "cron", 6000000, false);
	ok(check(e, &cutoffs) == 1 && s[3].ruling.removal.by == ET_KEPT &&
			s[5].ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF,
		"duet: only the cutoff check removes samples");
	et_experiment_free(e);

	e = make(20, ET_SOLO);
	s = sample_of(&e->commands[0], 0);
	e->plan.keep_all = true;
	s[3].measured.cpu_ns = 2000000000;
	disturb(e, 5, "cron", 6000000, false);
	ok(check(e, &cutoffs) == 2 && s[3].ruling.removal.by == ET_KEPT &&
			s[5].ruling.removal.by == ET_KEPT &&
			s[3].ruling.marks == ET_MARK_TWO_SIGMA &&
			s[5].ruling.marks == ET_MARK_DAEMON,
		"keep-all: samples are marked and not removed");
	for (size_t i = 0; i < 20; i++)
		s[i].measured.cpu_ns = 5;
	ok(check(e, NULL) == 2 && !s[3].ruling.marks && !s[5].ruling.marks,
		"two-sigma: equal samples have no outlier");
	for (size_t i = 0; i < 20; i++)
		s[i].measured.cpu_ns = ET_UNKNOWN;
	ok(check(e, NULL) == 0, "two-sigma: samples with unknown CPU time are kept");
	et_experiment_free(e);
}

/* Readings of 20 µs that vary by about 1 %; n_slow samples have one slow reading, and take longer.
 */
static struct et_experiment *probed(size_t n, size_t n_slow, double slowness)
{
	struct et_experiment *e = make(n, ET_SOLO);

	for (size_t i = 0; i < n; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		double slow = i < n_slow ? slowness : 1;
		s->measured.probe_before_ns = 20000 + i % 5 * 50;
		s->measured.probe_after_ns = (uint64_t)(slow * (double)(20000 + i % 3 * 80));
		s->measured.cpu_ns += i < n_slow ? 100000000 : 0;
	}
	return e;
}

/* Makes the experiment's samples those of two commands, first the first n of them. */
static void split(struct et_experiment *e, size_t n)
{
	struct et_samples both = e->commands[0].samples;

	e->commands = et_realloc(e->commands, 2, sizeof(*e->commands));
	memset(e->commands, 0, 2 * sizeof(*e->commands));
	e->n_commands = 2;
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&both);
	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		struct et_sample copy = *s;
		copy.place.command = copy.place.index > n;
		et_experiment_add(e, &copy);
	}
	et_samples_free(&both);
}

static size_t count(const struct et_experiment *e, bool removed)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			n += removed ? s->ruling.removal.by == ET_REMOVED_MACHINE_SLOW
				     : (s->ruling.marks & ET_MARK_MACHINE_SLOW) != 0;
	}
	return n;
}

static void test_probe(void)
{
	struct et_experiment *e = probed(20, 6, 2);
	struct et_sample *s = sample_of(&e->commands[0], 0);

	near(et_probe_fast_ns(e), 20000, 0.01, 0,
		"probe: the fast level is that of the undisturbed readings");
	ok(check(e, NULL) == 6 && count(e, true) == 6, "probe: slow readings remove their samples");
	ok(s[0].ruling.removal.probe_ns == 40000 && s[0].ruling.removal.limit_ns >= 22000 &&
			s[0].ruling.removal.limit_ns < 22300 && !s[0].ruling.removal.steal_ns &&
			!s[0].ruling.marks,
		"probe: a removal records the reading and the limit");
	ok(check(e, NULL) == 0, "probe: a second check changes nothing");
	e->plan.keep_all = true;
	ok(check(e, NULL) == 6 && count(e, true) == 0 && count(e, false) == 6 &&
			!s[0].ruling.removal.probe_ns,
		"keep-all: samples with slow readings are marked and not removed");
	/* The six slow samples have twice the CPU time; of the others one is an outlier. */
	for (size_t i = 0; i < 6; i++)
		s[i].measured.cpu_ns *= 2;
	s[10].measured.cpu_ns += 30000000;
	check(e, NULL);
	ok(s[10].ruling.marks == ET_MARK_TWO_SIGMA,
		"keep-all: slow samples are not in the sd of two-sigma");
	e->plan.keep_all = false;
	check(e, NULL);
	ok(s[10].ruling.removal.by == ET_REMOVED_TWO_SIGMA && count(e, true) == 6,
		"probe: removed slow samples are not in the sd of two-sigma");
	et_experiment_free(e);

	e = probed(20, 15, 1.5);
	ok(check(e, NULL) == 15 && count(e, true) == 15,
		"probe: slow samples are removed even if they are most, if that narrows the "
		"interval");
	et_experiment_free(e);
	e = probed(20, 16, 1.5);
	ok(check(e, NULL) == 16 && count(e, true) == 0 && count(e, false) == 16,
		"probe: slow samples are kept and marked if only 4 would remain");
	et_experiment_free(e);
	e = probed(20, 6, 1.08);
	ok(check(e, NULL) == 0, "probe: 8 %% above the fast level is not slow");
	et_experiment_free(e);
	e = probed(20, 6, 1.13);
	ok(check(e, NULL) == 6, "probe: 13 %% above the fast level is slow");
	et_experiment_free(e);
	e = probed(4, 1, 3);
	ok(isnan(et_probe_fast_ns(e)) && check(e, NULL) == 0, "probe: 8 readings are too few");
	et_experiment_free(e);
}

/* Slow samples are removed if the speed explains the times, and if no answer becomes less certain.
 */
static void test_slow_decision(void)
{
	struct et_experiment *e = probed(20, 6, 2);

	for (size_t i = 0; i < 6; i++)
		sample_of(&e->commands[0], i)->measured.cpu_ns -= 100000000;
	check(e, NULL);
	ok(count(e, true) == 0 && count(e, false) == 6,
		"probe: slow samples that took no longer are kept and marked");
	sample_of(&e->commands[0], 3)->measured.cpu_ns *= 2;
	e->protocol = ET_PROTOCOL_EMP;
	check(e, NULL);
	ok(sample_of(&e->commands[0], 3)->ruling.removal.by == ET_REMOVED_TWO_SIGMA,
		"probe: slow samples that are kept are in the sd of two-sigma");
	et_experiment_free(e);

	/* Two slow samples of 10 are on top by chance once in 45 times. */
	e = probed(10, 2, 2);
	check(e, NULL);
	ok(count(e, true) == 0 && count(e, false) == 2,
		"probe: 2 of 10 slow samples prove nothing");
	et_experiment_free(e);
	e = probed(10, 3, 2);
	check(e, NULL);
	ok(count(e, true) == 3, "probe: 3 of 10 slow samples that are the longest are removed");
	et_experiment_free(e);

	/* Every other sample is slow, but by less than the others vary among themselves. */
	e = probed(20, 0, 1);
	for (size_t i = 0; i < 20; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		s->measured.probe_after_ns = i % 2 ? 40000 : 20000;
		s->measured.cpu_ns = 1000000000 + i / 2 * 3 % 10 * 10000000 + i % 2 * 45000000;
	}
	check(e, NULL);
	ok(count(e, true) == 0 && count(e, false) == 10,
		"probe: slow samples are kept if the interval would be wider without them");
	et_experiment_free(e);
}

/* One command has 7 slow samples of 10 and could not lose them, the other has 3. */
static void test_slow_per_experiment(void)
{
	struct et_experiment *e = probed(20, 7, 2);

	for (size_t i = 10; i < 13; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		s->measured.probe_after_ns *= 2;
		s->measured.cpu_ns += 100000000;
	}
	check(e, NULL);
	ok(count(e, true) == 10, "probe: one command loses its 10 slow samples of 20");
	split(e, 10);
	check(e, NULL);
	ok(count(e, true) == 0 && count(e, false) == 10,
		"probe: if one of two commands cannot lose its slow samples, neither does");
	struct et_sample *s = sample_of(&e->commands[0], 0);
	s[0].measured.probe_after_ns /= 2;
	s[1].measured.probe_after_ns /= 2;
	s[0].measured.cpu_ns = s[1].measured.cpu_ns = 991000000;
	check(e, NULL);
	ok(count(e, true) == 8, "probe: two commands that both keep 5 lose their slow samples");
	et_experiment_free(e);
}

/* Readings of a quiet machine (sd 1 or 2 %): how many samples does the rule call slow? */
static void test_false_removal(double sd, double most)
{
	enum { RUNS = 20, TRIES = 500 };
	struct et_rng rng;
	size_t slow = 0;

	et_rng_seed(&rng, 5, 0);
	for (int k = 0; k < TRIES; k++) {
		struct et_experiment *e = make(RUNS, ET_SOLO);
		for (size_t i = 0; i < RUNS; i++) {
			struct et_sample *s = sample_of(&e->commands[0], i);
			double z[] = { et_qnorm(et_rng_uniform(&rng)),
				et_qnorm(et_rng_uniform(&rng)) };
			s->measured.probe_before_ns = (uint64_t)(20000 * (1 + sd * z[0]));
			s->measured.probe_after_ns = (uint64_t)(20000 * (1 + sd * z[1]));
		}
		check(e, NULL);
		slow += count(e, true) + count(e, false);
		et_experiment_free(e);
	}
	ok((double)slow <= most * RUNS * TRIES,
		"probe: with an sd of %g %% the readings of %zu of %d samples are slow", 100 * sd,
		slow, RUNS * TRIES);
}

static void test_probe_left_alone(void)
{
	struct et_experiment *e = probed(20, 9, 2);
	struct et_sample *s = sample_of(&e->commands[0], 0);

	s[0].place.warmup = true;
	s[1].place.arrangement = ET_DUET;
	s[2].place.arrangement = ET_PACED;
	s[3].ruling.removal.by = ET_REMOVED_FAILED;
	s[4].measured.probe_after_ns = ET_UNKNOWN;
	s[4].measured.cpu_ns = 991000000;
	ok(check(e, NULL) == 4 && count(e, true) == 4 &&
			s[5].ruling.removal.by == ET_REMOVED_MACHINE_SLOW,
		"probe: warm-up, duets, paced, failed and unknown samples are kept");
	et_experiment_free(e);
	e = make(20, ET_SOLO);
	ok(isnan(et_probe_fast_ns(e)) && check(e, NULL) == 0,
		"probe: nothing is removed without readings");
	/* The limit for an elapsed time of 1 s is 60 ms: one tick of 10 ms plus 5 %. */
	s = sample_of(&e->commands[0], 0);
	s[3].measured.steal_ns = 60000000;
	for (size_t i = 4; i < 8; i++) {
		s[i].measured.steal_ns = 74000000;
		s[i].measured.elapsed_ns = 1080000000;
	}
	s[9].measured.steal_ns = ET_UNKNOWN;
	ok(check(e, NULL) == 4 && count(e, false) == 4,
		"steal: stolen time that does not lengthen the judged time is only marked");
	e->metric = ET_METRIC_ELAPSED;
	check(e, NULL);
	ok(count(e, true) == 4 && s[4].ruling.removal.steal_ns == 74000000 &&
			s[4].ruling.removal.limit_ns == 64000000 && !s[4].ruling.removal.probe_ns,
		"steal: a removal records the steal time and the limit");
	et_experiment_free(e);
}

int main(void)
{
	test_probe();
	test_slow_decision();
	test_slow_per_experiment();
	test_false_removal(0.01, 0);
	test_false_removal(0.02, 0.003);
	test_probe_left_alone();
	test_cutoff();
	test_two_sigma();
	test_cause();
	test_left_alone();
	return tap_done();
}
