/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sanity checks: which samples they remove, for which reason, and that all others are kept. */
#include "protocol/sanity.h"
#include "base/base.h"
#include "num/rng.h"
#include "num/student.h"
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
	for (size_t n = 3; n < 14; n++) {
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

/* A sleep of half a second in one run, and CPU times that do not show it. */
static void test_two_sigma_metric(void)
{
	struct et_experiment *e = make(12, ET_SOLO);
	struct et_sample *s = sample_of(&e->commands[0], 0);

	e->metric = ET_METRIC_ELAPSED;
	s[6].measured.elapsed_ns = 1500000000;
	s[2].measured.cpu_ns = 2000000000;
	check(e, NULL);
	ok(s[6].ruling.removal.by == ET_REMOVED_TWO_SIGMA && s[2].ruling.removal.by == ET_KEPT,
		"two-sigma: elapsed time decides if it is judged");
	e->metric = ET_METRIC_CPU;
	check(e, NULL);
	ok(s[2].ruling.removal.by == ET_REMOVED_TWO_SIGMA && s[6].ruling.removal.by == ET_KEPT,
		"two-sigma: CPU time decides if it is judged");
	et_experiment_free(e);

	/* The largest of ten was removed by a daemon, and one of the nine others is far off. */
	e = make(10, ET_SOLO);
	s = sample_of(&e->commands[0], 0);
	disturb(e, 3, "cron", 6000000, false);
	s[7].measured.cpu_ns = 1500000000;
	check(e, &cutoffs);
	ok(s[3].ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF &&
			s[7].ruling.removal.by == ET_REMOVED_TWO_SIGMA,
		"two-sigma: nine samples that check I left are checked");
	struct et_check_counts n = et_command_check_counts(&e->commands[0]);
	ok(n.first == 1 && n.second == 1, "counts: one sample by each check");
	et_experiment_free(e);
}

/* An experiment of which the first `hit` samples have cron above its cutoff. */
static struct et_experiment *hit(size_t n, size_t hits, enum et_arrangement arrangement)
{
	struct et_experiment *e = make(n, arrangement);

	e->snapshot_source = et_strdup("taskstats");
	for (size_t i = 0; i < hits; i++)
		disturb(e, i, "cron", 6000000, false);
	return e;
}

static size_t count_daemons(const struct et_experiment *e, bool removed)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			n += removed ? s->ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF
				     : (s->ruling.marks & ET_MARK_DAEMON) != 0;
	}
	return n;
}

static void test_brake_at(size_t n, size_t hits, enum et_arrangement arrangement, bool removes)
{
	struct et_experiment *e = hit(n, hits, arrangement);

	check(e, &cutoffs);
	ok(count_daemons(e, true) == (removes ? hits : 0) &&
			count_daemons(e, false) == (removes ? 0 : hits) &&
			e->first_check.state ==
				(removes ? ET_FIRST_CHECK_DONE : ET_FIRST_CHECK_WITHDRAWN) &&
			e->first_check.would_remove == (removes ? 0 : hits),
		"brake: check I that speaks against %zu of %zu %s runs %s", hits, n,
		et_arrangement_names[arrangement], removes ? "removes them" : "is withdrawn");
	et_experiment_free(e);
}

/* Check I removes at most half of the samples of a command, and leaves at least five. */
static void test_brake(void)
{
	test_brake_at(10, 5, ET_SOLO, true);
	test_brake_at(11, 6, ET_SOLO, false);
	test_brake_at(10, 10, ET_SOLO, false);
	test_brake_at(9, 5, ET_SOLO, false);
	test_brake_at(6, 1, ET_SOLO, true);
	test_brake_at(5, 1, ET_SOLO, false);
	test_brake_at(5, 0, ET_SOLO, true);
	test_brake_at(20, 10, ET_DUET, true);
	test_brake_at(20, 11, ET_DUET, false);
	test_brake_at(20, 20, ET_PACED, false);

	/* Of 20 samples 11 are hit: 10 of the first command, one of the second. */
	struct et_experiment *e = hit(20, 11, ET_SOLO);
	split(e, 10);
	check(e, &cutoffs);
	ok(count_daemons(e, true) == 0 && count_daemons(e, false) == 11,
		"brake: check I is withdrawn for all commands if one would lose too many");
	sample_of(&e->commands[1], 5)->measured.cpu_ns *= 2;
	check(e, &cutoffs);
	ok(sample_of(&e->commands[1], 5)->ruling.removal.by == ET_REMOVED_TWO_SIGMA,
		"brake: check II follows a check I that was withdrawn");
	et_experiment_free(e);

	/* Six of twelve solo runs are few enough, six of eight duets are not. */
	e = hit(20, 12, ET_SOLO);
	for (size_t i = 0; i < 8; i++)
		sample_of(&e->commands[0], i < 6 ? i : i + 6)->place.arrangement = ET_DUET;
	check(e, &cutoffs);
	ok(count_daemons(e, true) == 0 && e->first_check.would_remove == 12,
		"brake: solo runs and duets are counted apart");
	e->plan.keep_all = true;
	ok(check(e, &cutoffs) == 0, "brake: with --keep-all nothing changes");
	et_experiment_free(e);
}

/* A cutoff below what the instrument can resolve is none. */
static void test_floor(void)
{
	struct et_cutoff tiny[] = { { .daemon = "cron", .final_ms = { 0.002 }, .n_final = 1 },
		{ .daemon = "atd", .final_ms = { 1 }, .n_final = 1 } };
	struct et_cutoffs c = { .list = tiny, .n = 2, .short_seconds = 1, .floor_ms = 1 };
	struct et_experiment *e = hit(12, 2, ET_SOLO);

	disturb(e, 3, "atd", 1500000, false);
	check(e, &c);
	ok(count_daemons(e, true) == 1 &&
			sample_of(&e->commands[0], 3)->ruling.removal.by ==
				ET_REMOVED_DAEMON_CUTOFF &&
			e->first_check.cutoffs == 1,
		"floor: a cutoff of 2 µs below a floor of 1 ms is ignored, one of 1 ms is not");
	c.floor_ms = NAN;
	check(e, &c);
	ok(count_daemons(e, true) == 3 && e->first_check.cutoffs == 2,
		"floor: a learning without a floor uses all cutoffs");
	et_experiment_free(e);
}

static void test_first_check(void)
{
	struct et_cutoffs c = cutoffs;
	struct et_experiment *e = hit(8, 1, ET_SOLO);

	c.learned_wall_ns = 77;
	check(e, NULL);
	ok(e->first_check.state == ET_FIRST_CHECK_UNLEARNED && !e->first_check.learned_wall_ns &&
			!e->first_check.cutoffs,
		"first check: without cutoffs the state is not-learned");
	check(e, &c);
	ok(e->first_check.state == ET_FIRST_CHECK_DONE && e->first_check.learned_wall_ns == 77 &&
			e->first_check.cutoffs == 2,
		"first check: the learning is recorded");
	struct et_cutoffs empty = { .learned_wall_ns = 5, .short_seconds = 1 };
	check(e, &empty);
	ok(e->first_check.state == ET_FIRST_CHECK_DONE && !e->first_check.cutoffs,
		"first check: a learning without a daemon is done and removes nothing");
	for (size_t i = 0; i < 8; i++)
		sample_of(&e->commands[0], i)->measured.elapsed_ns *= 30;
	check(e, &c);
	ok(e->first_check.state == ET_FIRST_CHECK_LENGTH && e->first_check.learned_wall_ns == 77,
		"first check: a program that takes much longer has the state too-long");
	e->protocol = ET_PROTOCOL_RAW;
	check(e, &c);
	ok(e->first_check.state == ET_FIRST_CHECK_NONE && !count_daemons(e, true) &&
			!count_daemons(e, false),
		"first check: protocol raw has none");
	et_experiment_free(e);
	e = make(8, ET_SOLO);
	check(e, &c);
	ok(e->first_check.state == ET_FIRST_CHECK_UNSEEN,
		"first check: a record without processes has the state no-processes");
	et_experiment_free(e);
}

/* A learning run: raw, all samples kept. It is judged by emp afterwards, by either time. */
static void test_again(void)
{
	struct et_experiment *e = hit(12, 2, ET_SOLO);
	struct et_sample *s = sample_of(&e->commands[0], 0);
	size_t n;

	e->protocol = ET_PROTOCOL_RAW;
	e->plan.keep_all = true;
	s[5].measured.elapsed_ns = 2000000000;
	s[6].measured.cpu_ns = 2000000000;
	ok(check(e, &cutoffs) == 0, "again: a raw run has no removal");
	free(et_sanity_check_again(e, ET_PROTOCOL_EMP, ET_METRIC_ELAPSED, &cutoffs, &n));
	struct et_check_counts c = et_command_check_counts(&e->commands[0]);
	ok(n == 3 && c.first == 2 && c.second == 1 &&
			s[5].ruling.removal.by == ET_REMOVED_TWO_SIGMA,
		"again: by emp and elapsed time, 3 (=2+1) samples of a learning run are removed");
	free(et_sanity_check_again(e, ET_PROTOCOL_EMP, ET_METRIC_CPU, &cutoffs, &n));
	ok(n == 2 && s[6].ruling.removal.by == ET_REMOVED_TWO_SIGMA &&
			s[5].ruling.removal.by == ET_KEPT,
		"again: by CPU time another sample is removed");
	free(et_sanity_check_again(e, ET_PROTOCOL_RAW, ET_METRIC_CPU, &cutoffs, &n));
	ok(n == 3 && !count_daemons(e, true), "again: by raw all samples count");
	free(et_sanity_check_again(e, ET_PROTOCOL_EMP, ET_METRIC_CPU, &cutoffs, &n));
	free(et_sanity_check_again(e, ET_PROTOCOL_EMP, ET_METRIC_PEAK_MEMORY, &cutoffs, &n));
	ok(n == 3 && !count_daemons(e, true), "again: by peak memory all samples count");
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

	e->protocol = ET_PROTOCOL_CAUSE;
	for (size_t i = 0; i < n; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		double slow = i < n_slow ? slowness : 1;
		s->measured.probe_before_ns = 20000 + i % 5 * 50;
		s->measured.probe_after_ns = (uint64_t)(slow * (double)(20000 + i % 3 * 80));
		s->measured.cpu_ns += i < n_slow ? 100000000 : 0;
	}
	return e;
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
	ok(s[10].ruling.marks == ET_MARK_TWO_SIGMA && count(e, true) == 6,
		"probe: removed slow samples are not in the sd of two-sigma");
	e->protocol = ET_PROTOCOL_EMP;
	check(e, NULL);
	ok(count(e, true) == 0 && count(e, false) == 6,
		"emp: slow samples that protocol cause removes are marked and count");
	ok(s[10].ruling.removal.by == ET_KEPT,
		"emp: the sd of two-sigma is that of all samples that check I left");
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
	e->protocol = ET_PROTOCOL_CAUSE;
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
	test_two_sigma_metric();
	test_brake();
	test_floor();
	test_first_check();
	test_again();
	test_cause();
	test_left_alone();
	return tap_done();
}
