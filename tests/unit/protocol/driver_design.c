/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives designed experiments: programs that fail, sessions that end, no run twice. */
#include "base/base.h"
#include "protocol/driver.h"
#include "sample_of.h"
#include "tap.h"

#include <errno.h>

enum { COMMANDS = 4, RUNS = 6 };

struct script {
	uint64_t now_ns;
	uint32_t run_of[COMMANDS]; /* how often each command was started */
	uint32_t failing;          /* the command that fails, plus 1; 0: none */
	bool unstartable;          /* it cannot even be executed */
	size_t runs, interrupt_at; /* the run that a signal ends */
	uint32_t stop_before;      /* the command before which the session ends, plus 1 */
	uint32_t befores[64], n_befores;
	uint32_t failures;
	char why[600];
};

static uint64_t now(void *ctx)
{
	return ((struct script *)ctx)->now_ns;
}

static int run(void *ctx, const struct et_request *q, struct et_sample out[2], struct et_error *err)
{
	struct script *s = ctx;
	bool fails = s->failing == q->command + 1;

	if (++s->runs == s->interrupt_at)
		return -EINTR;
	s->run_of[q->command]++;
	s->now_ns += 1000000;
	if (fails && s->unstartable)
		return et_fail(err, ENOEXEC, ET_EXIT_USAGE, "no program");
	memset(&out[0], 0, sizeof(out[0]));
	out[0].measured.elapsed_ns = out[0].measured.cpu_ns = 1000000;
	out[0].measured.exit_code = fails ? 3 : 0;
	return 0;
}

static int around(void *ctx, enum et_occasion occasion, uint32_t command, struct et_error *err)
{
	(void)ctx;
	(void)occasion;
	(void)command;
	(void)err;
	return 0;
}

static int keep(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	(void)ctx;
	(void)s;
	(void)n;
	(void)err;
	return 0;
}

static int before_command(void *ctx, uint32_t command, struct et_error *err)
{
	struct script *s = ctx;

	(void)err;
	s->befores[s->n_befores++] = command;
	return s->stop_before == command + 1 ? -EAGAIN : 0;
}

static void failed(void *ctx, uint32_t command, const struct et_error *why)
{
	struct script *s = ctx;

	s->failures++;
	snprintf(s->why, sizeof(s->why), "%u: %s", command, why->what);
}

static struct et_experiment *experiment(enum et_order order, uint32_t warmup)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->design = et_design_new();
	e->plan = (struct et_plan){
		.order = order, .runs = RUNS, .warmup = warmup, .seed = 7, .level = 0.95
	};
	e->n_commands = COMMANDS;
	e->commands = et_calloc(COMMANDS, sizeof(*e->commands));
	for (size_t i = 0; i < COMMANDS; i++)
		e->commands[i].name = et_asprintf("command %zu", i + 1);
	return e;
}

static int drive(struct et_experiment *e, struct script *s, struct et_error *err)
{
	struct et_clock clock = { .now_ns = now, .wall_ns = now, .ctx = s };
	struct et_driver d = { .e = e,
		.executor = { .run = run, .around = around, .ctx = s },
		.clock = &clock,
		.keep = keep,
		.hooks = { .before_command = before_command, .failed = failed, .ctx = s },
		.ctx = s };

	*err = (struct et_error){ 0 };
	return et_drive(&d, err);
}

static size_t counted(const struct et_command *c, bool removed)
{
	size_t n = 0;

	for (size_t i = 0; i < c->samples.n; i++)
		n += !sample_of(c, i)->place.warmup &&
		     (sample_of(c, i)->ruling.removal.by == ET_REMOVED_FAILED) == removed;
	return n;
}

static bool all_counted(const struct et_experiment *e, uint32_t except)
{
	bool all = true;

	for (uint32_t i = 0; i < COMMANDS; i++)
		all = all && (i == except || counted(&e->commands[i], false) == RUNS);
	return all;
}

static void failing(enum et_order order, uint32_t warmup, bool unstartable)
{
	struct et_experiment *e = experiment(order, warmup);
	struct script s = { .failing = 2, .unstartable = unstartable };
	struct et_error err;
	const char *name = et_order_names[order];

	ok(drive(e, &s, &err) == 0 && all_counted(e, 1) && !err.what[0],
		"failure: the other commands get all their runs (%s)", name);
	ok(s.run_of[1] == 1 && s.failures == 1 && e->commands[1].samples.n == 1,
		"failure: the failed command runs once, and its sample is kept (%s)", name);
	const struct et_sample *sample = sample_of(&e->commands[1], 0);
	ok(sample->ruling.removal.by == ET_REMOVED_FAILED &&
			sample->measured.exit_code == (unstartable ? 127 : 3) &&
			(sample->measured.elapsed_ns == ET_UNKNOWN) == unstartable,
		"failure: the sample has the exit status and does not count (%s)", name);
	ok(!strncmp(s.why, unstartable ? "1: no program" : "1: 'command 2' failed with", 14),
		"failure: the caller learns of it: %s", s.why);

	/* The program was mended. */
	struct script again = { 0 };
	ok(drive(e, &again, &err) == 0 && all_counted(e, UINT32_MAX) &&
			again.runs == RUNS + warmup && again.run_of[1] == again.runs,
		"failure: a later session runs the failed command only (%s)", name);
	struct script done = { 0 };
	ok(drive(e, &done, &err) == 0 && done.runs == 0,
		"resume: a complete experiment has nothing left to run (%s)", name);
	et_experiment_free(e);
}

/* Without a design, or without the callback, a failure ends the experiment. */
static void without_design(void)
{
	struct et_experiment *e = experiment(ET_ORDER_RANDOM, 0);
	struct script s = { .failing = 2 };
	struct et_error err;

	et_design_free(e->design);
	e->design = NULL;
	ok(drive(e, &s, &err) == -ECHILD && s.failures == 0 && s.n_befores == 0,
		"failure: it ends an experiment that was not designed");
	et_experiment_free(e);
}

/* A signal at any run, and another session: each command has each round once. */
static void interrupted(enum et_order order)
{
	bool good = true;

	for (size_t at = 1; at <= (size_t)COMMANDS * (RUNS + 1); at++) {
		struct et_experiment *whole = experiment(order, 1), *e = experiment(order, 1);
		struct script s = { .interrupt_at = at }, t = { 0 }, u = { 0 };
		struct et_error err;

		good = good && drive(e, &s, &err) == -EINTR && drive(e, &t, &err) == 0 &&
		       drive(whole, &u, &err) == 0 && all_counted(e, UINT32_MAX);
		for (uint32_t c = 0; good && c < COMMANDS; c++) {
			uint32_t round = 0;
			for (size_t i = 0; i < e->commands[c].samples.n; i++) {
				const struct et_sample *x = sample_of(&e->commands[c], i);
				if (x->place.warmup)
					continue;
				const struct et_sample *y =
					sample_of(&whole->commands[c], 1 + round++);
				good = good && x->place.round == y->place.round &&
				       x->place.position == y->place.position;
			}
		}
		et_experiment_free(e);
		et_experiment_free(whole);
	}
	ok(good,
		"resume: after a signal at any run, rounds and places are those of one session "
		"(%s)",
		et_order_names[order]);
}

static void before(void)
{
	struct et_experiment *e = experiment(ET_ORDER_SEQUENTIAL, 0);
	struct script s = { .stop_before = 3 }, t = { 0 };
	struct et_error err;

	ok(drive(e, &s, &err) == -EAGAIN && s.n_befores == 3 && s.runs == 2 * (size_t)RUNS,
		"before: the callback ends the session before a command");
	ok(drive(e, &t, &err) == 0 && t.n_befores == 2 && t.befores[0] == 2 && t.befores[1] == 3,
		"before: the next session begins with that command");
	ok(all_counted(e, UINT32_MAX), "before: all commands have their runs");
	et_experiment_free(e);

	e = experiment(ET_ORDER_RANDOM, 0);
	s = (struct script){ .stop_before = 1 };
	ok(drive(e, &s, &err) == 0 && s.n_befores == 0,
		"before: it is not called in an order that mixes the commands");
	et_experiment_free(e);
}

/* The commands in the order in which they ran in a round. */
static void order_of(const struct et_experiment *e, uint32_t round, uint32_t out[COMMANDS])
{
	for (uint32_t c = 0; c < COMMANDS; c++) {
		for (size_t i = 0; i < e->commands[c].samples.n; i++) {
			const struct et_sample *s = sample_of(&e->commands[c], i);
			if (!s->place.warmup && s->place.round == round)
				out[s->place.position] = c;
		}
	}
}

/* A part of a campaign runs the rounds that are its own as the whole experiment would. */
static void some_rounds(enum et_order order)
{
	struct et_experiment *whole = experiment(order, 0), *part = experiment(order, 1);
	struct script s = { 0 }, t = { .interrupt_at = 7 }, u = { 0 };
	struct et_error err;
	const char *name = et_order_names[order];
	bool same = true, rounds = true;

	part->plan.first_round = 4;
	part->plan.runs = 2;
	ok(drive(whole, &s, &err) == 0, "part: the whole experiment runs (%s)", name);
	ok(drive(part, &t, &err) == -EINTR && drive(part, &u, &err) == 0,
		"part: it is interrupted and continued (%s)", name);
	for (uint32_t c = 0; c < COMMANDS; c++) {
		ok(counted(&part->commands[c], false) == 2,
			"part: command %u has the runs of the part (%s)", c, name);
		for (size_t i = 0; i < part->commands[c].samples.n; i++) {
			const struct et_place *at = &sample_of(&part->commands[c], i)->place;
			rounds = rounds && (at->warmup || at->round == 4 || at->round == 5);
		}
	}
	ok(rounds, "part: its samples have the rounds of the campaign (%s)", name);
	for (uint32_t round = 4; order != ET_ORDER_SEQUENTIAL && round <= 5; round++) {
		uint32_t a[COMMANDS] = { 0 }, b[COMMANDS] = { 0 };
		order_of(whole, round, a);
		order_of(part, round, b);
		same = same && !memcmp(a, b, sizeof(a));
	}
	ok(same, "part: the order within its rounds is that of the whole experiment (%s)", name);
	et_experiment_free(whole);
	et_experiment_free(part);
}

int main(void)
{
	static const enum et_order orders[] = { ET_ORDER_RANDOM, ET_ORDER_ROUND_ROBIN,
		ET_ORDER_SEQUENTIAL };

	for (size_t i = 0; i < ET_LENGTH(orders); i++) {
		for (uint32_t warmup = 0; warmup < 2; warmup++) {
			failing(orders[i], warmup, false);
			failing(orders[i], warmup, true);
		}
		interrupted(orders[i]);
	}
	without_design();
	before();
	some_rounds(ET_ORDER_RANDOM);
	some_rounds(ET_ORDER_SEQUENTIAL);
	return tap_done();
}
