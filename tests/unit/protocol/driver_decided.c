/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons that are sampled until they are decided: which runs follow, and when they end. */
#include "protocol/until.h"
#include "script.h"
#include "tap.h"

static size_t count_after(const struct et_experiment *e, enum et_arrangement a)
{
	size_t n = 0;

	et_for_each_sample(s, &e->commands[1].samples) {
		n += s->place.arrangement == a && s->place.round > ET_KINDS_ROUNDS;
	}
	return n;
}

/* 2 warm-up runs; up to round 10 2 runs alone and a duet; then a duet, or 2 runs alone. */
static void decided(void)
{
	struct et_error err;
	struct et_plan plan = { .equal_ratio = 0.01,
		.min_runs = 10,
		.max_runs = 400,
		.order = ET_ORDER_AUTO,
		.warmup = 1 };
	struct script s = { .reached = 0.32 };
	struct et_experiment *e = experiment(2, plan);

	ok(drive(e, &s, &err) == 0 && s.runs == 32 && count_after(e, ET_DUET) == 0,
		"decided: it stops at the first look that decides, after 10 rounds");
	et_experiment_free(e);

	s = (struct script){ .reached = 0.50 };
	e = experiment(2, plan);
	ok(drive(e, &s, &err) == 0 && s.runs == 50 && count_after(e, ET_DUET) == 18 &&
			count_after(e, ET_SOLO) == 0 && s.kinds_asked == 1,
		"decided: after 10 rounds programs of one kind run in duets only");
	et_experiment_free(e);

	s = (struct script){ .reached = 0.50, .kinds = ET_KINDS_DIFFERENT };
	e = experiment(2, plan);
	ok(drive(e, &s, &err) == 0 && count_after(e, ET_DUET) == 0 && count_after(e, ET_SOLO) >= 8,
		"decided: programs of different kinds run alone only");
	et_experiment_free(e);

	s = (struct script){ .reached = 0.80, .second_is_clear = true };
	e = experiment(3, plan);
	ok(drive(e, &s, &err) == 0 && count_after(e, ET_DUET) == 0 &&
			e->commands[2].samples.n > e->commands[1].samples.n,
		"decided: a command whose comparison is decided runs no more, the others do");
	et_experiment_free(e);

	s = (struct script){ .reached = 1000 };
	plan.max_runs = 31;
	e = experiment(2, plan);
	ok(drive(e, &s, &err) == 0 && count_after(e, ET_DUET) == 21,
		"decided: what stays open ends at max_runs");
	et_experiment_free(e);

	/* Up to round 10 it takes 1.26 s; a duet takes 60 ms, of which 19 fit into 2.4 s. */
	s = (struct script){ .reached = 1000 };
	plan.max_runs = 400;
	plan.min_time_ns = 1200000000;
	e = experiment(2, plan);
	ok(drive(e, &s, &err) == 0 && s.runs >= 50 && s.runs <= 52,
		"decided: what stays open ends with the budget");
	et_experiment_free(e);

	s = (struct script){ .reached = 1000, .cpu_ns = { 900000000, 900000000 } };
	e = experiment(2, plan);
	ok(drive(e, &s, &err) == 0 && s.runs == 22 && e->commands[1].samples.n == 16,
		"decided: slow programs have 10 rounds, and run alone in 5 of them");
	et_experiment_free(e);
}

/* Interrupted anywhere and resumed, the runs after the first rounds are of one arrangement. */
static void decided_resumed(enum et_kinds first, enum et_kinds later)
{
	size_t mixed = 0;

	for (size_t at = 30; at < 50; at++) {
		struct et_error err;
		struct et_plan plan = { .equal_ratio = 0.01,
			.min_runs = 10,
			.max_runs = 400,
			.order = ET_ORDER_AUTO,
			.warmup = 1 };
		struct script s = { .reached = 0.6, .kinds = first, .interrupt_at = at };
		struct et_experiment *e = experiment(2, plan);
		int rc = drive(e, &s, &err);
		bool begun = count_after(e, ET_DUET) + count_after(e, ET_SOLO) > 0;
		s.interrupt_at = 0;
		s.kinds = begun ? later : first;
		mixed += rc != -EINTR || drive(e, &s, &err) != 0 ||
			 (count_after(e, ET_DUET) > 0) + (count_after(e, ET_SOLO) > 0) != 1;
		et_experiment_free(e);
	}
	ok(!mixed, "decided: a resumed decision continues as it began, kinds %d and %d", first,
		later);
}

/* Whether a round has runs of both sessions, of which the first ended with this order. */
static size_t rounds_of_two_sessions(const struct et_experiment *e, uint32_t last)
{
	bool before[400] = { 0 }, after[400] = { 0 };
	size_t mixed = 0;

	for (size_t c = 0; c < e->n_commands; c++) {
		et_for_each_sample(s, &e->commands[c].samples) {
			if (!s->place.warmup && s->place.round < 400)
				(s->place.order <= last ? before : after)[s->place.round] = true;
		}
	}
	for (size_t i = 0; i < 400; i++)
		mixed += before[i] && after[i];
	return mixed;
}

/* The second command was decided in the first session, and is looked at anew in the second. */
static void pairs_of_one_session(void)
{
	size_t mixed = 0, continued = 0;

	for (size_t at = 60; at < 75; at++) {
		struct et_error err;
		struct et_plan plan = { .equal_ratio = 0.01,
			.min_runs = 10,
			.max_runs = 100,
			.order = ET_ORDER_AUTO,
			.warmup = 1 };
		struct script s = { .reached = 1000, .second_is_clear = true, .interrupt_at = at };
		struct et_experiment *e = experiment(3, plan);
		int rc = drive(e, &s, &err);
		uint32_t last = s.orders[s.kept - 1];
		size_t then = e->commands[1].samples.n;
		s.interrupt_at = 0;
		s.second_is_clear = false;
		mixed += rc != -EINTR || drive(e, &s, &err) != 0 || rounds_of_two_sessions(e, last);
		continued += e->commands[1].samples.n > then;
		et_experiment_free(e);
	}
	ok(!mixed && continued == 15, "decided: runs of two sessions are never of one round");
}

static void decision_looks(void)
{
	struct et_until u = { 0 };
	size_t looks = 0, odd = 0;

	for (uint32_t n = 10; n <= 400; n++) {
		bool due = et_decision_due(&u, n);
		looks += due;
		odd += due && n % 2;
	}
	ok(!odd && looks > 60 && looks < 150,
		"decided: looks come after second rounds, and are rarer later: %zu", looks);
}

int main(void)
{
	decided();
	decided_resumed(ET_KINDS_SAME, ET_KINDS_DIFFERENT);
	decided_resumed(ET_KINDS_DIFFERENT, ET_KINDS_SAME);
	pairs_of_one_session();
	decision_looks();
	return tap_done();
}
