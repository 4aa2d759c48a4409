/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives experiments with scripted durations and a scripted clock; no process runs. */
#include "protocol/driver.h"
#include "base/base.h"
#include "protocol/schedule.h"
#include "protocol/until.h"
#include "script.h"
#include "tap.h"

#include <errno.h>
#include <math.h>

static size_t counted(const struct et_command *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->samples.n; i++)
		n += !sample_of(c, i)->place.warmup &&
		     sample_of(c, i)->ruling.removal.by == ET_KEPT;
	return n;
}

static void fixed_numbers(void)
{
	struct et_error err;
	struct script s = { 0 };
	struct et_experiment *e = experiment(1, (struct et_plan){ .runs = 10, .warmup = 2 });

	ok(drive(e, &s, &err) == 0 && s.runs == 12 && s.kept == 12,
		"fixed: 2 warm-up and 10 counted runs take place, and all are stored");
	ok(e->commands[0].samples.n == 12 && sample_of(&e->commands[0], 1)->place.warmup &&
			!sample_of(&e->commands[0], 2)->place.warmup &&
			sample_of(&e->commands[0], 2)->place.round == 1,
		"fixed: the first two runs are warm-up, and round 1 begins after them");
	ok(s.setups == 1 && s.cleanups == 1, "fixed: setup and cleanup run once each");
	et_experiment_free(e);

	s = (struct script){ 0 };
	e = experiment(3, (struct et_plan){ .runs = 4, .order = ET_ORDER_AUTO, .seed = 5 });
	ok(drive(e, &s, &err) == 0 && s.runs == 3 + 4 * 5,
		"auto: a round of three commands has 3 solo runs and 2 duets");
	ok(counted(&e->commands[0]) == e->commands[0].samples.n - 1,
		"auto: one warm-up run of each command does not count");
	ok(s.overlapped, "auto: programs of 30 ms overlap in duets");
	ok(counted(&e->commands[0]) == 4 + 8 && counted(&e->commands[1]) == 4 + 4,
		"auto: the reference takes part in every duet");
	et_experiment_free(e);

	s = (struct script){ .cpu_ns = { 3000000, 7000000 } };
	e = experiment(2, (struct et_plan){ .runs = 4, .order = ET_ORDER_AUTO, .warmup = 1 });
	ok(drive(e, &s, &err) == 0 && !s.overlapped,
		"auto: programs shorter than two ticks do not overlap in duets");
	et_experiment_free(e);

	s = (struct script){ .parallel = true };
	e = experiment(2, (struct et_plan){ .runs = 2, .order = ET_ORDER_AUTO, .warmup = 1 });
	ok(drive(e, &s, &err) == 0 && s.parallel,
		"auto: the executor is asked to run multi-threaded programs in parallel");
	et_experiment_free(e);

	s = (struct script){ 0 };
	e = experiment(2, (struct et_plan){ .runs = 3, .order = ET_ORDER_SEQUENTIAL });
	drive(e, &s, &err);
	ok(sample_of(&e->commands[0], 2)->place.order == 3 &&
			sample_of(&e->commands[1], 0)->place.order == 4,
		"sequential: one command runs after the other");
	et_experiment_free(e);
}

static void places(void)
{
	struct et_error err;
	struct script s = { 0 };
	struct et_experiment *e =
		experiment(2, (struct et_plan){ .runs = 3, .order = ET_ORDER_AUTO, .warmup = 1 });
	size_t duets = 0, wrong = 0;

	drive(e, &s, &err);
	for (uint32_t c = 0; c < 2; c++) {
		for (size_t i = 0; i < e->commands[c].samples.n; i++) {
			const struct et_place *p = &sample_of(&e->commands[c], i)->place;
			bool duet = p->arrangement == ET_DUET;
			duets += duet;
			wrong += p->command != c || p->partner != (duet ? (int32_t)!c : -1);
		}
	}
	ok(duets == 6 && wrong == 0, "place: the driver enters command, partner and arrangement");
	et_experiment_free(e);

	e = experiment(1, (struct et_plan){ .runs = 3, .pace = true });
	drive(e, &s, &err);
	ok(sample_of(&e->commands[0], 2)->place.arrangement == ET_PACED &&
			sample_of(&e->commands[0], 2)->place.partner == -1,
		"place: a paced sample has no partner");
	et_experiment_free(e);
}

static void until_looks(void)
{
	struct et_until u = { 0 };

	ok(et_until_due(&u, 30) && !et_until_look(&u, 30, true),
		"until: one look that finds the interval narrow does not stop");
	ok(!et_until_due(&u, 33) && et_until_due(&u, 34), "until: the next look is a tenth later");
	ok(et_until_look(&u, 34, true), "until: the second look in succession stops");
	u = (struct et_until){ 0 };
	ok(!et_until_look(&u, 30, true) && !et_until_look(&u, 34, false) &&
			!et_until_look(&u, 38, true) && et_until_look(&u, 42, true),
		"until: a wide interval in between makes the count begin anew");
}

static void until_sure(void)
{
	struct et_error err;
	struct et_plan plan = { .until_ratio = 0.01, .min_runs = 5, .max_runs = 50 };
	struct script s = { .noise = 0.0001 };
	struct et_experiment *e = experiment(1, plan);

	ok(drive(e, &s, &err) == 0 && s.runs == 6,
		"until: quiet runs stop at the second look after min_runs");
	ok(et_until_reached(e, 0) < 0.01, "until: the uncertainty of quiet runs is reached");
	et_experiment_free(e);

	s = (struct script){ .noise = 0.5 };
	e = experiment(1, plan);
	ok(drive(e, &s, &err) == 0 && s.runs == 50, "until: noisy runs stop at max_runs");
	et_experiment_free(e);

	/* 0.2 / 20 runs = 0.01; times that vary by half do not matter. */
	s = (struct script){ .noise = 0.5, .reached = 0.2 };
	e = experiment(1, plan);
	int ended = drive(e, &s, &err);
	ok(ended == 0 && s.runs >= 20 && s.runs <= 26,
		"until: an uncertainty of the caller's own decides (%zu runs)", s.runs);
	et_experiment_free(e);

	/*
	 * Times alternate by ± 1 %, which 7 runs make precise enough. The rules remove all runs
	 * with one of the two times, so that the others are equal.
	 */
	s = (struct script){ .noise = 0.01 };
	e = experiment(1, plan);
	drive(e, &s, &err);
	size_t all = s.runs;
	et_experiment_free(e);
	s = (struct script){ .noise = 0.01 };
	e = experiment(1, plan);
	s.ruled = e;
	int rc = drive(e, &s, &err);
	ok(rc == 0 && s.rule_calls > 0 && s.runs < all,
		"until: removed samples do not count: %zu runs instead of %zu", s.runs, all);
	et_experiment_free(e);

	s = (struct script){ .noise = 0.05 };
	plan.max_runs = 1000;
	e = experiment(1, plan);
	drive(e, &s, &err);
	/*
	 * t(n-1) * 0.05 / sqrt(n) * sqrt(n/(n-1)) = 0.01 has its root near n = 98; the two looks
	 * are a tenth apart.
	 */
	ok(s.runs >= 108 && s.runs <= 119, "until: moderate noise needs about 100 runs (%zu)",
		s.runs);
	et_experiment_free(e);

	s = (struct script){ .noise = 0.5 };
	plan.time_limit_ns = 300000000;
	e = experiment(1, plan);
	ok(drive(e, &s, &err) == 0 && s.runs >= 9 && s.runs <= 12,
		"until: the time limit ends the experiment after 9 to 12 runs");
	et_experiment_free(e);
}

/* Returns the number of rounds that an automatic number of runs makes. */
static size_t automatic_rounds(size_t n_commands, struct et_plan plan, struct script s)
{
	struct et_error err;

	plan.min_runs = plan.min_runs ? plan.min_runs : 10;
	plan.max_runs = plan.max_runs ? plan.max_runs : 1000;
	plan.min_time_ns = 3000000000;
	struct et_experiment *e = experiment(n_commands, plan);
	size_t rounds = 0;
	if (drive(e, &s, &err) == 0) {
		for (size_t i = 0; i < e->commands[0].samples.n; i++)
			rounds = sample_of(&e->commands[0], i)->place.round;
	}
	et_experiment_free(e);
	return rounds;
}

/* A run takes its CPU time and 1 us, so the numbers follow from 3 s per command. */
static void automatic(void)
{
	struct script fast = { .cpu_ns = { 999000, 999000 } },
		      brief = { .cpu_ns = { 9999000, 9999000 } },
		      slow = { .cpu_ns = { 999999000, 999999000 } },
		      mixed = { .cpu_ns = { 9999000, 99999000 } };
	struct et_plan one = { .warmup = 1 };

	ok(automatic_rounds(1, one, brief) == 300, "automatic: 300 runs of 10 ms take 3 s");
	ok(automatic_rounds(1, one, slow) == 10, "automatic: a run of 1 s has 10 runs");
	ok(automatic_rounds(1, one, fast) == 1000, "automatic: a run of 1 ms has 1000 runs");
	one.max_runs = 2000;
	ok(automatic_rounds(1, one, fast) == 2000, "automatic: --max-runs is the most");
	one = (struct et_plan){ .min_runs = 500 };
	ok(automatic_rounds(1, one, brief) == 500, "automatic: --min-runs is the least");
	brief.hooks_ns = 190000000;
	ok(automatic_rounds(1, (struct et_plan){ 0 }, brief) == 15,
		"automatic: the time of hooks counts");
	brief.hooks_ns = 0;
	ok(automatic_rounds(2, (struct et_plan){ .order = ET_ORDER_RANDOM }, brief) == 300,
		"automatic: two commands have 6 s");
	/* 10 + 100 ms alone, and the two of them in a duet: 220 ms per round. */
	ok(automatic_rounds(2, (struct et_plan){ .order = ET_ORDER_AUTO }, mixed) == 28,
		"automatic: runs alone and in duets count");
	ok(automatic_rounds(2, (struct et_plan){ .order = ET_ORDER_SEQUENTIAL }, mixed) == 300,
		"automatic: in sequential order the command has a number of its own");
}

/* Interrupted anywhere, an experiment has the number of runs that it would have had. */
static void automatic_resumed(void)
{
	size_t good = 0, tries = 0;

	for (size_t at = 1; at <= 40; at += 3) {
		struct et_error err;
		struct script s = { .interrupt_at = at, .cpu_ns = { 99999000, 99999000 } };
		struct et_experiment *e = experiment(
			1, (struct et_plan){
				   .min_runs = 10, .max_runs = 1000, .min_time_ns = 3000000000 });
		tries++;
		if (drive(e, &s, &err) == -EINTR) {
			s.interrupt_at = 0;
			s.now_ns += 3600000000000; /* an hour later */
			good += drive(e, &s, &err) == 0 && counted(&e->commands[0]) == 30;
		} else {
			good += counted(&e->commands[0]) == 30;
		}
		et_experiment_free(e);
	}
	ok(good == tries, "automatic: a resumed experiment has the same number: %zu of %zu", good,
		tries);
}

static void told_of(size_t n_commands, struct et_plan plan, struct script s)
{
	struct et_error err;
	struct et_experiment *e = experiment(n_commands, plan);

	memset(&told, 0, sizeof(told));
	if (drive(e, &s, &err))
		told.n = 0;
	et_experiment_free(e);
}

static void progress(void)
{
	struct et_plan automatic = { .min_runs = 10, .max_runs = 1000, .min_time_ns = 3000000000 };
	struct et_plan until = { .until_ratio = 0.01, .min_runs = 10, .max_runs = 1000 };
	struct script brief = { .cpu_ns = { 9999000, 9999000 } };

	told_of(2, (struct et_plan){ .runs = 8, .order = ET_ORDER_AUTO, .warmup = 1 },
		(struct script){ 0 });
	ok(told.first.done == 0 && told.first.total == 8 && told.first.elapsed_ns == 0 &&
			told.first.command,
		"progress: it begins before the first run");
	ok(told.last.done == 8 && told.last.turns == 26 && told.last.all_turns == 26,
		"progress: the last note counts 8 samples per command and 26 turns");
	ok(told.middle.done == 5 && told.middle.turns >= 17 && told.middle.all_turns == 26,
		"progress: with 5 samples the number of all turns is known");
	ok(fabs(told.middle.mean_ns - 30000000) < 1 && told.middle.uncertainty == 0,
		"progress: the mean so far is that of the runs alone");
	told_of(2, (struct et_plan){ .runs = 8, .order = ET_ORDER_SEQUENTIAL },
		(struct script){ 0 });
	ok(told.last.done == 8 && told.last.total == 8 && told.last.turns == 16,
		"progress: in sequential order the samples of the present command count");
	told_of(1, automatic, brief);
	ok(told.middle.total == 300 && told.last.done == 300,
		"progress: an automatic number is estimated before it is decided (%u)",
		(unsigned)told.middle.total);
	brief.noise = 0.05;
	told_of(1, until, brief);
	ok(told.middle.total >= 50 && told.middle.total <= 200 && told.middle.uncertainty > 0.01,
		"progress: the number of runs until the goal is estimated (%u)",
		(unsigned)told.middle.total);
}

/* Commands share a time limit, so that the second one runs too. */
static void limits(void)
{
	struct et_error err;
	struct script s = { 0 };
	struct et_plan plan = {
		.runs = 100, .order = ET_ORDER_SEQUENTIAL, .time_limit_ns = 600000000
	};
	struct et_experiment *e = experiment(2, plan);

	drive(e, &s, &err);
	ok(counted(&e->commands[0]) >= 9 && counted(&e->commands[1]) >= 9,
		"limit: each command has its share of the time (%zu and %zu runs)",
		counted(&e->commands[0]), counted(&e->commands[1]));
	et_experiment_free(e);
	/* One disturbed run at the beginning does not decide whether pairs overlap. */
	s = (struct script){ .cpu_ns = { 3000000, 3000000 }, .slow_at = 1 };
	e = experiment(2, (struct et_plan){ .runs = 4, .order = ET_ORDER_AUTO, .warmup = 3 });
	drive(e, &s, &err);
	ok(!s.overlapped, "overlap: one slow warm-up run does not make short programs overlap");
	et_experiment_free(e);
}

static void failures(void)
{
	struct et_error err = { 0 };
	struct script s = { .fail_at = 4 };
	struct et_experiment *e = experiment(1, (struct et_plan){ .runs = 10 });

	ok(drive(e, &s, &err) == -ECHILD && err.exit == ET_EXIT_PROGRAM &&
			strstr(err.what, "exit status 3"),
		"failure: a failing program ends the experiment: %s", err.what);
	ok(s.kept == 4 && s.cleanups == 1,
		"failure: measured samples are stored, and cleanup runs");
	et_experiment_free(e);

	s = (struct script){ .fail_at = 4 };
	e = experiment(1, (struct et_plan){ .runs = 10 });
	drive(e, &s, &err);
	s.fail_at = 0;
	ok(drive(e, &s, &err) == 0 && counted(&e->commands[0]) == 10 &&
			sample_of(&e->commands[0], 3)->ruling.removal.by == ET_REMOVED_FAILED,
		"resume: a failed run is repeated and does not count");
	et_experiment_free(e);

	s = (struct script){ .fail_at = 4 };
	e = experiment(1, (struct et_plan){ .runs = 10, .ignore_failure = true });
	ok(drive(e, &s, &err) == 0 && s.kept == 10,
		"failure: with ignore_failure the experiment continues");
	et_experiment_free(e);
}

/* An experiment that is interrupted at any run and resumed ends with the same turns. */
static void resume_anywhere(void)
{
	struct et_plan plan = { .runs = 5, .order = ET_ORDER_AUTO, .seed = 11 };
	size_t good = 0, tries = 0;

	for (size_t at = 1; at <= 28; at++) {
		struct et_error err;
		struct script s = { .interrupt_at = at };
		struct et_experiment *e = experiment(3, plan);
		tries++;
		if (drive(e, &s, &err) == -EINTR && s.kept <= 2 * (at - 1)) {
			s.interrupt_at = 0;
			if (drive(e, &s, &err) == 0 && counted(&e->commands[1]) == 10 &&
				counted(&e->commands[0]) == 15)
				good++;
		}
		et_experiment_free(e);
	}
	ok(good == tries, "resume: interrupted at any of %zu runs, each turn takes place once",
		tries);
}

/*
 * Returns the number of runs that count. With noise, every second run is slow and the fast ones
 * are equal.
 */
static size_t kbest_runs(enum et_protocol protocol, struct et_plan plan, struct script s)
{
	struct et_error err;
	struct et_experiment *e = experiment(1, plan);
	size_t n;

	e->protocol = protocol;
	n = drive(e, &s, &err) == 0 ? counted(&e->commands[0]) : 9999;
	et_experiment_free(e);
	return n;
}

/* Blocks of rounds, as `lab emp-versions` runs them, give the runs of a single call. */
static void blocks(void)
{
	struct et_plan plan = { .runs = 7, .order = ET_ORDER_RANDOM, .seed = 3 };
	struct et_experiment *whole = experiment(3, plan), *e = experiment(3, plan);
	struct script s = { 0 }, all = { 0 };
	struct et_error err;
	size_t calls = 0;
	int rc;

	ok(drive(whole, &all, &err) == 0, "blocks: the whole plan runs in one call");
	do {
		s.most_rounds = 2;
		rc = drive(e, &s, &err);
		calls++;
		if (calls == 1)
			ok(rc == -EAGAIN && s.runs == 6,
				"blocks: the first call ends after two rounds");
	} while (rc == -EAGAIN && calls < 9);
	ok(rc == 0 && calls == 4 && s.runs == 21, "blocks: seven rounds take four calls");
	for (size_t c = 0; c < 3; c++) {
		bool same = true;
		for (size_t i = 0; i < 7; i++)
			same = same && sample_of(&e->commands[c], i)->place.order ==
					       sample_of(&whole->commands[c], i)->place.order;
		ok(same, "blocks: command %zu has its runs at the places of a single call", c + 1);
	}
	et_experiment_free(whole);
	et_experiment_free(e);
}

static void fastest_agree(void)
{
	struct et_plan plan = { .runs = 10, .max_runs = 50, .k = 3, .epsilon = 0.001 };
	struct script noisy = { .noise = 0.1 }, brief = { .cpu_ns = { 2000000, 2000000 } };
	struct script beyond_tick = { .cpu_ns = { 5000000, 5000000 } };

	ok(kbest_runs(ET_PROTOCOL_KBEST, plan, noisy) == 6,
		"K-best: the third of the equal fast runs ends the experiment");
	ok(kbest_runs(ET_PROTOCOL_KBEST, plan, (struct script){ 0 }) == 3,
		"K-best: if all runs are equal, the third ends the experiment");
	ok(kbest_runs(ET_PROTOCOL_EMP, plan, noisy) == 10,
		"K-best: EMP does not stop when the fastest runs agree");
	ok(kbest_runs(ET_PROTOCOL_AUTO, plan, brief) == 3,
		"auto: K-best is used for half an interval of the timer interrupt");
	ok(kbest_runs(ET_PROTOCOL_AUTO, plan, beyond_tick) == 10,
		"auto: K-best is not used where every run meets a timer interrupt");
	plan.epsilon = 0.25;
	ok(kbest_runs(ET_PROTOCOL_KBEST, plan, noisy) == 3,
		"K-best: a wide epsilon is reached with the third run");
	plan.epsilon = 0.001;
	plan.max_runs = 5;
	ok(kbest_runs(ET_PROTOCOL_KBEST, plan, noisy) == 5,
		"K-best: max_runs ends an experiment that does not converge");
	plan.k = 1;
	ok(kbest_runs(ET_PROTOCOL_KBEST, plan, noisy) == 1, "K-best: K = 1 needs one run");
	plan.k = 0;
	ok(kbest_runs(ET_PROTOCOL_KBEST, plan, noisy) == 10,
		"K-best: an experiment without K takes its fixed number of runs");
}

static void fastest_resumed(void)
{
	struct et_plan plan = {
		.runs = 10, .max_runs = 50, .k = 4, .epsilon = 0.001, .warmup = 1, .seed = 3
	};
	size_t good = 0, tries = 0;

	for (size_t at = 1; at <= 8; at++) {
		struct et_error err;
		struct script s = {
			.interrupt_at = at, .cpu_ns = { 2000000, 2000000 }, .noise = 0.1
		};
		struct et_experiment *e = experiment(1, plan);
		e->protocol = ET_PROTOCOL_AUTO;
		tries++;
		if (drive(e, &s, &err) == -EINTR) {
			s.interrupt_at = 0;
			size_t fast = 0;
			good += drive(e, &s, &err) == 0;
			for (size_t i = 0; i < e->commands[0].samples.n; i++)
				fast += !sample_of(&e->commands[0], i)->place.warmup &&
					sample_of(&e->commands[0], i)->measured.cpu_ns < 2000000;
			good += fast == 4;
		}
		et_experiment_free(e);
	}
	ok(good == 2 * tries, "K-best: a resumed experiment ends with four fast runs: %zu of %zu",
		good, 2 * tries);
}

/* The duets among the samples of the second of two commands. */
static size_t duets_of(const struct et_experiment *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->commands[1].samples.n; i++)
		n += sample_of(&e->commands[1], i)->place.arrangement == ET_DUET;
	return n;
}

/* Elapsed time decides, which duets do not measure. */
static void duets_left_out(void)
{
	struct et_plan plan = { .runs = 6, .warmup = 1, .seed = 3 };
	struct et_error err;
	struct script serial = { 0 }, parallel = { .parallel = true }, given = { 0 },
		      memory = { 0 };
	struct et_experiment *e = experiment(2, plan);

	e->metric_auto = true;
	ok(drive(e, &serial, &err) == 0 && duets_of(e) == 6 && e->metric == ET_METRIC_CPU,
		"auto: serial programs run in duets");
	et_experiment_free(e);
	e = experiment(2, plan);
	e->metric_auto = true;
	ok(drive(e, &parallel, &err) == 0 && duets_of(e) == 0 && e->metric == ET_METRIC_ELAPSED,
		"auto: parallel programs run in no duets");
	ok(parallel.runs == 2 + 2 * 6, "auto: parallel programs run once per round: %zu runs",
		parallel.runs);
	et_experiment_free(e);
	e = experiment(2, plan);
	e->metric = ET_METRIC_ELAPSED;
	ok(drive(e, &given, &err) == 0 && duets_of(e) == 0, "--metric et: there are no duets");
	et_experiment_free(e);
	e = experiment(2, plan);
	e->metric = ET_METRIC_PEAK_MEMORY;
	ok(drive(e, &memory, &err) == 0 && duets_of(e) == 0, "--metric memory: there are no duets");
	et_experiment_free(e);
	for (size_t at = 1; at <= 14; at++) {
		struct script cut = { .parallel = true, .interrupt_at = at };
		e = experiment(2, plan);
		e->metric_auto = true;
		int rc = drive(e, &cut, &err);
		cut.interrupt_at = 0;
		size_t solos = 0;
		if (rc == -EINTR && drive(e, &cut, &err) == 0)
			for (size_t i = 0; i < e->commands[0].samples.n; i++)
				solos += !sample_of(&e->commands[0], i)->place.warmup;
		ok(solos == 6 && duets_of(e) == 0,
			"auto: interrupted at run %zu and resumed, there are 6 runs and no duet",
			at);
		et_experiment_free(e);
	}
}

/* The turns of an experiment, one letter each: 's' alone, 'd' in a duet; a blank ends a round. */
static void turns_of(const struct et_experiment *e, uint32_t rounds, char *out)
{
	for (uint32_t round = 1; round <= rounds; round++) {
		for (uint32_t position = 0; position < et_schedule_size(e->n_commands);
			position++) {
			for (size_t c = 0; c < e->n_commands; c++) {
				for (size_t i = 0; i < e->commands[c].samples.n; i++) {
					const struct et_place *p =
						&sample_of(&e->commands[c], i)->place;
					if (!p->warmup && p->round == round &&
						p->position == position)
						*out++ = p->arrangement == ET_DUET ? 'd' : 's';
				}
			}
		}
		*out++ = ' ';
	}
	*out = 0;
}

/*
 * Which time is judged may change in the first rounds, and with it whether there are duets. The
 * runs of a turn are the same in whichever session it takes place; only the warm-up of the second
 * session speaks for the opposite.
 */
static void arrangement_resumed(char warmup_waits, const char *waits)
{
	struct et_plan plan = { .runs = 14, .warmup = 1, .seed = 3 };
	struct et_error err;
	struct script all = { .waits = waits, .warmup_waits = warmup_waits };
	struct et_experiment *e = experiment(2, plan);
	char want[200], got[200];
	size_t good = 0;

	e->metric_auto = true;
	int rc = drive(e, &all, &err);
	turns_of(e, plan.runs, want);
	et_experiment_free(e);
	ok(rc == 0 && strstr(want, "dd") && strstr(want, " ss "),
		"arrangement: it changes in the first rounds: %s", want);
	/* Before a run that counts is recorded, the warm-up of the second session decides, too. */
	for (size_t at = 4; at <= all.runs; at++) {
		struct script cut = {
			.waits = waits, .warmup_waits = warmup_waits, .interrupt_at = at
		};
		e = experiment(2, plan);
		e->metric_auto = true;
		rc = drive(e, &cut, &err);
		cut.interrupt_at = 0;
		cut.warmup_waits = warmup_waits == 'w' ? 'c' : 'w';
		bool done = rc == -EINTR && drive(e, &cut, &err) == 0;
		turns_of(e, plan.runs, got);
		et_experiment_free(e);
		good += done && !strcmp(got, want);
		if (strcmp(got, want))
			printf("# interrupted at run %zu: %s\n", at, got);
	}
	ok(good == all.runs - 3,
		"arrangement: interrupted at any of runs 4 to %zu and resumed, it is the same: %zu",
		all.runs, good);
}

/* Interrupted in the first round, when one command has a run that counts and the other none. */
static void protocol_resumed(void)
{
	struct et_plan plan = { .runs = 10,
		.max_runs = 50,
		.k = 3,
		.epsilon = 0.001,
		.warmup = 1,
		.seed = 3,
		.order = ET_ORDER_RANDOM };
	size_t good = 0;

	for (size_t at = 4; at <= 7; at++) {
		struct et_error err;
		struct script s = { .interrupt_at = at - at % 2, .cpu_ns = { 2000000, 2000000 } };
		struct et_experiment *e = experiment(2, plan);
		e->protocol = ET_PROTOCOL_AUTO;
		s.cpu_ns[at % 2] = 5000000; /* too long for K-best */
		int rc = drive(e, &s, &err);
		s.interrupt_at = 0;
		s.cpu_ns[at % 2] = 2000000;
		good += rc == -EINTR && drive(e, &s, &err) == 0 && counted(&e->commands[0]) == 10;
		et_experiment_free(e);
	}
	ok(good == 4, "auto: the warm-up of a resumed experiment does not change the protocol: %zu",
		good);
}

/* The list of runs that `doe plan` prints is what the driver does. */
static void foreseen(enum et_order order)
{
	enum { COMMANDS = 6, MOST = 200 };
	struct et_plan plan = { .order = order, .seed = 5, .runs = 7, .warmup = 2 };
	struct et_experiment *e = experiment(COMMANDS, plan);
	struct et_planned_run list[MOST];
	struct script s = { 0 };
	struct et_error err;
	size_t n = et_schedule_list(&plan, COMMANDS, MOST, list);
	bool good = drive(e, &s, &err) == 0 && n == s.kept;

	for (size_t c = 0; good && c < COMMANDS; c++) {
		for (size_t i = 0; i < e->commands[c].samples.n; i++) {
			const struct et_place *p = &sample_of(&e->commands[c], i)->place;
			const struct et_planned_run *r = &list[p->order - 1];
			good = good && r->command == c && r->round == p->round &&
			       (r->round == 0) == p->warmup;
		}
	}
	ok(good && n == COMMANDS * 9u, "%s: the list of runs is what the driver does",
		et_order_names[order]);
	ok(et_schedule_list(&plan, COMMANDS, 20, list) == 20, "%s: a list may be cut off",
		et_order_names[order]);
	et_experiment_free(e);
}

int main(void)
{
	foreseen(ET_ORDER_SEQUENTIAL);
	foreseen(ET_ORDER_RANDOM);
	foreseen(ET_ORDER_ROUND_ROBIN);
	fixed_numbers();
	places();
	until_looks();
	until_sure();
	automatic();
	automatic_resumed();
	progress();
	fastest_agree();
	fastest_resumed();
	limits();
	failures();
	resume_anywhere();
	blocks();
	duets_left_out();
	arrangement_resumed('w', "wccccccccccccccccccccccccccc");
	arrangement_resumed('c', "cwwwwwwwwwwwwwwwwwwwwwwwwwww");
	arrangement_resumed('c', "wcwwwwcccccccccccccccccccccc");
	arrangement_resumed('w', "ccwwwwwccwwwwwwwwwwwwwwwwwww");
	protocol_resumed();
	return tap_done();
}
