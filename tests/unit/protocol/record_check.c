/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which records can be resumed: those that the driver wrote, for every order of runs, and none that
 * differs from them in one place.
 */
#include "base/base.h"
#include "base/parse.h"
#include "protocol/driver.h"
#include "protocol/schedule.h"
#include "sample_of.h"
#include "tap.h"

#include <errno.h>

static struct et_experiment *planned(enum et_order order, size_t n_commands)
{
	struct et_experiment *e = et_experiment_new();

	e->plan.order = order;
	e->plan.runs = 3;
	e->plan.min_runs = e->plan.max_runs = 3;
	e->plan.warmup = 2;
	e->host.tick_ns = 4000000;
	for (size_t i = 0; i < n_commands; i++)
		et_experiment_add_command(e, et_strdup("x"), et_strv_of("true", "x", NULL));
	return e;
}

static int measure(
	void *ctx, const struct et_request *q, struct et_sample *out, struct et_error *err)
{
	(void)ctx, (void)err;
	for (int i = 0; i < (q->arrangement == ET_DUET ? 2 : 1); i++) {
		memset(&out[i], 0, sizeof(out[i]));
		out[i].measured.elapsed_ns = out[i].measured.cpu_ns = 20000000;
	}
	return 0;
}

static int no_hook(void *ctx, enum et_occasion when, uint32_t command, struct et_error *err)
{
	(void)ctx, (void)when, (void)command, (void)err;
	return 0;
}

static uint64_t no_time(void *ctx)
{
	(void)ctx;
	return 0;
}

static int discard(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	(void)ctx, (void)s, (void)n, (void)err;
	return 0;
}

/* An experiment whose samples the driver itself has placed. */
static struct et_experiment *driven(enum et_order order, size_t n_commands, bool pace)
{
	static const struct et_clock clock = { .now_ns = no_time };
	struct et_experiment *e = planned(order, n_commands);
	struct et_driver d = { .e = e,
		.executor = { .run = measure, .around = no_hook },
		.clock = &clock,
		.keep = discard };
	struct et_error err;

	e->plan.pace = pace;
	if (et_drive(&d, &err))
		tap_bail("%s", err.what);
	return e;
}

static void test_genuine(void)
{
	for (int order = ET_ORDER_AUTO; order <= ET_ORDER_DUET; order++) {
		for (size_t n = 1; n <= 3; n++) {
			struct et_experiment *e = driven((enum et_order)order, n, n == 1);
			const char *wrong = et_record_check(e);
			ok(!wrong,
				"record: a driven experiment of order %s with %zu commands is "
				"valid",
				et_order_names[order], n);
			if (wrong)
				printf("# %s\n", wrong);
			et_experiment_free(e);
		}
	}
	struct et_experiment *e = planned(ET_ORDER_AUTO, 2);
	e->plan.warmup = 0;
	ok(!et_record_check(e), "record: an experiment without samples is valid");
	et_experiment_free(e);
}

static struct et_experiment *e;
static struct et_place *solo, *duet, *warmup;

/* A fresh experiment of two commands, and one place of each kind in it. */
static void begin(void)
{
	e = driven(ET_ORDER_AUTO, 2, false);
	solo = duet = warmup = NULL;
	for (size_t i = 0; i < e->commands[1].samples.n; i++) {
		struct et_place *at = &sample_of(&e->commands[1], i)->place;
		struct et_place **which = at->warmup                   ? &warmup
					  : at->arrangement == ET_DUET ? &duet
								       : &solo;
		*which = at;
	}
	if (!solo || !duet || !warmup || et_record_check(e))
		tap_bail("the specimen is not valid");
}

static void end(const char *label)
{
	ok(et_record_check(e) != NULL, "record: %s is not valid", label);
	et_experiment_free(e);
}

#define REFUSES(change, label)                                                                     \
	do {                                                                                       \
		begin();                                                                           \
		change;                                                                            \
		end(label);                                                                        \
	} while (0)

static void test_commands(void)
{
	REFUSES(e->plan.reference = 2, "a reference that is no command");
	REFUSES(
		{
			et_strv_free(e->commands[1].argv);
			e->commands[1].argv = NULL;
		},
		"a command without argv");
	REFUSES(
		{
			free(e->commands[1].argv[1]);
			free(e->commands[1].argv[0]);
			e->commands[1].argv[0] = NULL;
		},
		"a command of no words");
	REFUSES(e->commands[0].argv[0][0] = '\0', "a command whose first word is empty");
}

static void test_plan(void)
{
	REFUSES(e->plan.runs = ET_MOST_RUNS + 1, "a plan of too many runs");
	REFUSES(e->plan.warmup = UINT32_MAX, "a plan of too many warm-up runs");
	REFUSES(e->plan.max_runs = UINT32_MAX, "a plan of too many runs at most");
	REFUSES(e->plan.min_runs = UINT32_MAX, "a plan of too many runs at least");
	REFUSES(e->plan.k = 65, "a plan with too large a K");
	REFUSES(e->plan.level = 0, "a plan with a level of 0");
	REFUSES(e->plan.level = 1, "a plan with a level of 1");
}

static void test_samples(void)
{
	REFUSES(solo->order = UINT32_MAX, "an order that would wrap around");
	REFUSES(solo->order = ET_MOST_ORDERS + 1, "an order that is too high");
	REFUSES(solo->order = 0, "an order of 0");
	REFUSES(solo->round = UINT32_MAX, "a round of 4294967295");
	REFUSES(solo->round = 4, "a round after the last of the plan");
	REFUSES(solo->round = 0, "a round of 0");
	REFUSES(warmup->round = 1, "warm-up in a round");
	REFUSES(solo->position = 4, "a position beyond the width of a round");
	REFUSES(solo->position = UINT32_MAX, "a position of 4294967295");
	REFUSES(warmup->position = 3, "a warm-up run beyond the plan");
	REFUSES(solo->partner = 0, "a partner of a solo run");
	REFUSES(duet->partner = -1, "a duet without a partner");
	REFUSES(duet->partner = 2, "a partner that is no command");
	REFUSES(duet->partner = 1, "a duet with itself");
	REFUSES(solo->index = 77, "an index that is not that of the sample");
	REFUSES(solo->command = 0, "a sample of another command");
}

int main(void)
{
	test_genuine();
	test_commands();
	test_plan();
	test_samples();
	return tap_done();
}
